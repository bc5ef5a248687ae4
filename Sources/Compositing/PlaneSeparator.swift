import Imaging

/// Takes the old background's colour out of one plane's soft edges.
///
/// Keeps its working memory, and is therefore for one thread at a time.
final class PlaneSeparator {
    private var alphaRows = AlphaRows()
    private var foreground = EdgeColor(isForeground: true)
    private var background = EdgeColor(isForeground: false)

    /// A plane of a frame, with components of type `T` up to `peak`, and its alpha.
    struct Source<T> {
        let samples: Plane
        let componentCount: Int
        let peak: T
        let alpha: Plane
        let cells: SoftCells

        func row(_ y: Int) -> UnsafePointer<T> { samples.row(y, as: T.self) }

        func rows(ofCells row: Int) -> Range<Int> {
            row << cells.verticalShift..<min((row + 1) << cells.verticalShift, samples.height)
        }
    }

    /// Calls `body` with every row of `source`, from the top: its number, the foreground's components, the alpha of each.
    func forEachRow<T: PixelComponent>(
        of source: Source<T>, _ body: (Int, UnsafePointer<T>, UnsafePointer<UInt8>) -> Void
    ) {
        let isSeparable = !source.cells.soft.isEmpty && gather(source)
        let (width, components) = (source.samples.width, source.componentCount)
        withUnsafeTemporaryAllocation(of: T.self, capacity: width * components) { separated in
            let separated = separated.baseAddress!
            for cellRow in 0..<source.cells.rows {
                let runs = isSeparable ? source.cells.soft[cellRow] : []
                for y in source.rows(ofCells: cellRow) {
                    alphaRows.withRepeated(source.alpha.row(y, as: UInt8.self), width: width, components) { alpha in
                        guard !runs.isEmpty else { return body(y, source.row(y), alpha) }
                        separated.update(from: source.row(y), count: width * components)
                        separate(source, y, alpha, runs, into: separated)
                        body(y, separated, alpha)
                    }
                }
            }
        }
    }

    // The two colours around the soft cells; false where one of them can't be known.
    private func gather<T: PixelComponent>(_ source: Source<T>) -> Bool {
        let (cells, width, components) = (source.cells, source.samples.width, source.componentCount)
        foreground.prepare(cells, width: width, componentCount: components)
        background.prepare(cells, width: width, componentCount: components)
        for cellRow in 0..<cells.rows {
            let runs = cells.levels[0][cellRow]
            guard !runs.isEmpty else { continue }
            let rows = source.rows(ofCells: cellRow)
            let samples = source.samples.rows(rows)
            alphaRows.withRepeated(source.alpha.rows(rows), components) { alpha in
                foreground.add(samples, as: T.self, alpha: alpha, runs: runs, of: cells)
                background.add(samples, as: T.self, alpha: alpha, runs: runs, of: cells)
            }
            foreground.collect(cellRow, runs: runs, of: cells)
            background.collect(cellRow, runs: runs, of: cells)
        }
        let (hasForeground, hasBackground) = (foreground.fill(cells), background.fill(cells))
        return hasForeground && hasBackground
    }

    private func separate<T: PixelComponent>(
        _ source: Source<T>, _ y: Int, _ alpha: UnsafePointer<UInt8>, _ runs: ArraySlice<Range<Int>>,
        into target: UnsafeMutablePointer<T>
    ) {
        let cells = source.cells
        let last = cells.rows - 1
        let position = min(max((Float(y) + 0.5) / Float(cells.cellHeight) - 0.5, 0), Float(last))
        let above = Int(position)
        let below = min(above + 1, last)
        let row = source.row(y)
        foreground.withRows(above, below, of: cells) { upperForeground, lowerForeground in
            background.withRows(above, below, of: cells) { upperBackground, lowerBackground in
                for run in runs {
                    let range = cells.range(of: run, width: source.samples.width, components: source.componentCount)
                    let first = range.lowerBound
                    let mixture = ForegroundMixture(
                        upperForeground: upperForeground + first, lowerForeground: lowerForeground + first,
                        upperBackground: upperBackground + first, lowerBackground: lowerBackground + first,
                        fraction: position - Float(above))
                    T.separate(
                        row + first, alpha: alpha + first, mixture: mixture, peak: source.peak, into: target + first,
                        count: range.count)
                }
            }
        }
    }
}
