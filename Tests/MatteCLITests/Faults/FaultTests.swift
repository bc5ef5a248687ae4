import Foundation
import TestSupport
import Testing

/// Whatever goes wrong: nothing is lost that was finished, and nothing that is not looks so.
struct FaultTests {
    @Test(arguments: Fault.groups.flatMap(\.faults))
    func comesToTheEndThatTheTableTells(_ fault: Fault) throws {
        try fault.attempt(try FaultBench())
    }

    /// docs/faults.md is what users read; its rows are those that are tried here.
    @Test func theTableInTheDocumentIsTheOneThatIsTried() throws {
        let document = try String(contentsOf: Checkout.root.appending(path: "docs/faults.md"), encoding: .utf8)
        #expect(document.hasSuffix(Fault.tables), "put this into docs/faults.md:\n\(Fault.tables)")
    }
}
