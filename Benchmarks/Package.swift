// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "matte-benchmarks",
    products: [
        .executable(name: "quality", targets: ["quality"]),
        .executable(name: "levels", targets: ["levels"]),
        .executable(name: "composites", targets: ["composites"]),
        .executable(name: "bench", targets: ["bench"]),
    ],
    dependencies: [
        .package(name: "matte", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "MatteMetrics", swiftSettings: strict),
        .target(name: "CLinux"),
        .target(
            name: "Measuring", dependencies: ["CLinux", .product(name: "Matte", package: "matte")],
            swiftSettings: strict),
        .target(
            name: "QualitySuite",
            dependencies: ["MatteMetrics", "Measuring", .product(name: "Matte", package: "matte")],
            swiftSettings: strict),
        .target(
            name: "SpeedSuite", dependencies: ["CLinux", "Measuring", .product(name: "Matte", package: "matte")],
            swiftSettings: strict),
        .executableTarget(
            name: "quality",
            dependencies: [
                "QualitySuite", "Measuring", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "levels",
            dependencies: [
                "QualitySuite", "Measuring", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "composites",
            dependencies: [
                "QualitySuite", "Measuring", .product(name: "Matte", package: "matte"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "bench",
            dependencies: [
                "SpeedSuite", "Measuring", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(name: "MatteMetricsTests", dependencies: ["MatteMetrics"], swiftSettings: strict),
        .testTarget(name: "MeasuringTests", dependencies: ["Measuring"], swiftSettings: strict),
        .testTarget(
            name: "QualitySuiteTests",
            dependencies: ["QualitySuite", "Measuring", "MatteMetrics", .product(name: "Matte", package: "matte")],
            swiftSettings: strict),
        .testTarget(
            name: "SpeedSuiteTests",
            dependencies: ["SpeedSuite", "Measuring", .product(name: "Matte", package: "matte")], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
