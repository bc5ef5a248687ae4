// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "matte",
    products: [
        .executable(name: "matte", targets: ["MatteCLI"]),
        .library(name: "Matte", targets: ["Matte", "MatteVision", "Compositing", "Media", "Imaging"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        .systemLibrary(name: "CFFmpeg", pkgConfig: "libavformat", providers: [.apt(["libavformat-dev"])]),
        .systemLibrary(name: "CGlibc"),
        .systemLibrary(name: "CV4L2"),
        .systemLibrary(name: "COpenVINO", pkgConfig: "openvino"),
        .target(name: "Imaging", swiftSettings: strict),
        .target(name: "Media", dependencies: ["CFFmpeg", "CV4L2", "Imaging"], swiftSettings: strict),
        .target(name: "Inference", dependencies: ["COpenVINO"], swiftSettings: strict),
        .target(name: "MatteVision", dependencies: ["Imaging", "Inference"], swiftSettings: strict),
        .target(name: "Compositing", dependencies: ["Imaging"], swiftSettings: strict),
        .target(
            name: "Matte", dependencies: ["Media", "MatteVision", "Compositing", "Imaging"],
            swiftSettings: strict),
        .executableTarget(
            name: "MatteCLI",
            dependencies: [
                "Matte", "MatteVision", "Compositing", "Media", "Imaging", "CGlibc",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "FacePoseSegmentation", dependencies: ["Matte", "MatteVision", "Compositing", "Media", "Imaging"],
            path: "samples/FacePoseSegmentation", swiftSettings: strict),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "ImagingTests", dependencies: ["Imaging"], swiftSettings: strict),
        .testTarget(name: "MediaTests", dependencies: ["Media", "Imaging", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "InferenceTests", dependencies: ["Inference", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "MatteVisionTests", dependencies: ["MatteVision", "Inference", "Imaging", "Media", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "CompositingTests", dependencies: ["Compositing", "Imaging"], swiftSettings: strict),
        .testTarget(
            name: "MatteTests",
            dependencies: ["Matte", "Media", "MatteVision", "Compositing", "Imaging", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "MatteCLITests",
            dependencies: ["MatteCLI", "FacePoseSegmentation", "Matte", "Media", "Imaging", "TestSupport"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
