// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "matte-benchmarks",
    products: [
        .executable(name: "quality", targets: ["quality"]),
        .executable(name: "levels", targets: ["levels"]),
        .executable(name: "composites", targets: ["composites"]),
    ],
    dependencies: [
        .package(name: "matte", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "MatteMetrics", swiftSettings: strict),
        .target(
            name: "QualitySuite", dependencies: ["MatteMetrics", .product(name: "Matte", package: "matte")],
            swiftSettings: strict),
        .executableTarget(
            name: "quality",
            dependencies: ["QualitySuite", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),
        .executableTarget(
            name: "levels",
            dependencies: ["QualitySuite", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),
        .executableTarget(
            name: "composites",
            dependencies: [
                "QualitySuite", .product(name: "Matte", package: "matte"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(name: "MatteMetricsTests", dependencies: ["MatteMetrics"], swiftSettings: strict),
        .testTarget(
            name: "QualitySuiteTests",
            dependencies: ["QualitySuite", "MatteMetrics", .product(name: "Matte", package: "matte")],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
