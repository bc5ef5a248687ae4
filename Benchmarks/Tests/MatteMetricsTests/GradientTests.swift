import Testing

@testable import MatteMetrics

struct GradientTests {
    private let black = AlphaMatte(32, 16) { _, _ in 0 }

    @Test func aDotHasTheKernelsOwnSumOfSquares() {
        // The gradient of one white pixel is the two kernels themselves, each with the sum of squares 1: (1 + 1) / 1000.
        let dot = AlphaMatte(32, 16) { x, y in x == 8 && y == 8 ? 1 : 0 }
        #expect(isNear(dot.grad(to: black), 0.002))
        // Two that are further apart than 9 taps don't meet.
        let dots = AlphaMatte(32, 16) { x, y in y == 8 && (x == 8 || x == 20) ? 1 : 0 }
        #expect(isNear(dots.grad(to: black), 0.004))
        #expect(isNear(dots.grad(to: dot), 0.002))
    }

    @Test func anEdgeByHand() {
        // g(x) = exp(-x^2 / 3.92) at 0…4: 1, 0.7748, 0.3604, 0.1006, 0.0169; its norm over -4…4 is 1.5752, its sum 3.5054.
        // d(x) = x g(x) at 1…4: 0.7748, 0.7208, 0.3019, 0.0675; its norm is 1.5593. Beside an edge the sums of the taps that
        // are on the white side are 1.8650 (in two columns), and going away 1.0902, 0.3694, 0.0675 (in two columns each).
        // Squares: 2 * (1.8650^2 + 1.0902^2 + 0.3694^2 + 0.0675^2) / 1.5593^2 = 3.955 in a row, times the square of
        // 3.5054 / 1.5752 for the smoothing down the columns, whatever the row: 19.585. 16 rows, over 1000.
        let edge = AlphaMatte(32, 16) { x, _ in x < 16 ? 0 : 1 }
        #expect(isNear(edge.grad(to: black), 0.31336, 3e-4))
    }

    @Test func edgesAcrossAndDownCountAlike() {
        let across = AlphaMatte(24, 24) { x, _ in x < 12 ? 0 : 1 }
        let down = AlphaMatte(24, 24) { _, y in y < 12 ? 0 : 1 }
        let black = AlphaMatte(24, 24) { _, _ in 0 }
        #expect(isNear(across.grad(to: black), down.grad(to: black)))
    }

    @Test func contrastDoesNotCount() {
        var mattes = RandomMattes()
        let matte = mattes.next(20, 15)
        let faint = AlphaMatte(width: 20, height: 15, values: matte.values.map { 0.25 + 0.5 * $0 })
        #expect(isNear(faint.grad(to: matte), 0))
        #expect(AlphaMatte(9, 9) { _, _ in 0.5 }.grad(to: AlphaMatte(9, 9) { _, _ in 1 }) == 0)
    }

    @Test func theFilterHasNineTaps() {
        #expect(GaussianDerivative.standard.smoothing.count == 9)
        #expect(GaussianDerivative.standard.derivative.count == 9)
    }

    @Test func agreesWithSciPy() {
        // scipy.ndimage.correlate with the two-dimensional kernel and mode "nearest", in double precision.
        var mattes = RandomMattes()
        let (a, b) = (mattes.next(13, 11), mattes.next(13, 11))
        #expect(isNear(a.grad(to: b), 0.013121788670799314, 1e-7))
    }
}
