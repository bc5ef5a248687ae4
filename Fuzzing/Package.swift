// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// The targets of libFuzzer have no entrance of their own, so nothing else can be linked together with them.
let withLibFuzzer = Context.environment["MATTE_LIBFUZZER"] == "1"

let package = Package(
    name: "matte-fuzzing",
    products: [
        .executable(name: "mutate", targets: ["mutate"])
    ],
    dependencies: [
        .package(name: "matte", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "Reading", dependencies: [.product(name: "Matte", package: "matte")], swiftSettings: strict),
        .executableTarget(
            name: "mutate",
            dependencies: ["Reading", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),
        .testTarget(name: "MutateTests", dependencies: ["mutate"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

if withLibFuzzer {
    package.products.append(.executable(name: "fuzz", targets: ["fuzz"]))
    package.targets += [
        // The command's own sources without its entrance: libFuzzer brings one.
        .target(
            name: "CommandLineOptions",
            dependencies: [
                .product(name: "Matte", package: "matte"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: [
                "CrashHandler.swift", "MemoryMap.swift", "Program.swift", "SymbolTable.swift",
            ],
            // What is another package's here is the command's own in its own.
            swiftSettings: [.unsafeFlags(["-Xfrontend", "-disable-access-control", "-suppress-warnings"])]),
        .executableTarget(
            name: "fuzz",
            dependencies: ["Reading", "CommandLineOptions", .product(name: "Matte", package: "matte")],
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]),
    ]
}
