import Imaging

/// A plane without its people, drawn anew in one of the looks.
///
/// The plane is gathered into a grid of cells, in which a sample counts the less the more it is a person. Weights are spread
/// alongside the values, so that what lies around the people fills the place where they are. Keeps its working memory, and is
/// therefore for one thread at a time.
final class BackgroundPlane {
    private var grid = CellGrid()
    private var gaussian = GaussianSpread()
    private var disc = DiscSpread()
    private var enlargers: [MapEnlarger] = []
    private var line: [Float] = []
    /// Which cells the samples of a row lie in, and which row of cells each row does.
    private var cells: (columns: [Int32], rows: [Int32]) = ([], [])
    private var look = BackgroundLook.mosaic(x: 1, y: 1)
    private var size = (width: 0, height: 0)

    /// Samples in a row.
    var width: Int { size.width }

    /// Takes in `samples`, each of which counts as `weights` says, or all alike, to be drawn as `look` says; squares meet at
    /// multiples of `step`.
    func prepare<T: PixelComponent>(
        _ samples: Plane, weights: Plane?, componentCount: Int, look: BackgroundLook,
        step: (width: Int, height: Int), as type: T.Type
    ) {
        let cell = look.cell
        let isMosaic = if case .mosaic = look { true } else { false }
        let isNew = grid.gather(
            samples, weights: weights, componentCount: componentCount, cell: cell, step: isMosaic ? step : (1, 1),
            as: type)
        if isNew || self.look != look || size != (samples.width, samples.height) { layOut(samples, look) }
        switch look {
        case .blur(let x, let y):
            let deviation = (x / Double(cell.width), y / Double(cell.height))
            forEachMap { gaussian.apply(&$0, deviation: deviation) }
        case .bokeh(let x, let y):
            forEachMap { disc.apply(&$0, radius: (x / Double(cell.width), y / Double(cell.height))) }
        case .mosaic: break
        }
        grid.normalize()
        if isMosaic { return }
        for (value, enlarger) in zip(grid.values, enlargers) {
            enlarger.prepare(value, width: samples.width, height: samples.height)
        }
    }

    private func layOut(_ samples: Plane, _ look: BackgroundLook) {
        self.look = look
        size = (samples.width, samples.height)
        line = Array(repeating: 0, count: samples.width)
        enlargers = grid.values.map { _ in MapEnlarger() }
        cells = (Self.cells(upTo: grid.ends.columns), Self.cells(upTo: grid.ends.rows))
    }

    /// The number of the cell that each sample lies in.
    private static func cells(upTo ends: [Int32]) -> [Int32] {
        zip([0] + ends, ends).enumerated().flatMap { cell, place in
            repeatElement(Int32(cell), count: Int(place.1 - place.0))
        }
    }

    private func forEachMap(_ body: (inout ScalarMap) -> Void) {
        body(&grid.weights)
        for component in grid.values.indices { body(&grid.values[component]) }
    }

    /// Writes row `y`, at the plane's own size, to `target`; values reach from 0 to `peak`.
    func row<T: PixelComponent>(_ y: Int, peak: T, into target: UnsafeMutablePointer<T>) {
        let count = grid.values.count
        guard case .mosaic = look else {
            for component in 0..<count {
                enlargers[component].row(y, peak: peak, step: count, into: target + component)
            }
            return
        }
        let first = Int(cells.rows[y]) * grid.columns
        for component in 0..<count {
            fillLine(from: first, component)
            line.withUnsafeBufferPointer {
                T.write($0.baseAddress!, peak: peak, step: count, into: target + component, count: size.width)
            }
        }
    }

    private func fillLine(from first: Int, _ component: Int) {
        line.withUnsafeMutableBufferPointer { line in
            grid.values[component].values.withUnsafeBufferPointer { values in
                cells.columns.withUnsafeBufferPointer { columns in
                    for x in line.indices { line[x] = values[first &+ Int(columns[x])] }
                }
            }
        }
    }
}
