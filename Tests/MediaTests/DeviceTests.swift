import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Devices, as far as a machine without any can tell; MatteCLITests has the rest on a bench.
struct DeviceTests {
    private let folder = TemporaryFolder()

    private func sentence(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    @Test func filesAndPlainNamesAreNoDevices() throws {
        try Data().write(to: folder.url("clip.mp4"))
        #expect(try VideoDevice.find(folder.path("clip.mp4"), as: .camera) == nil)
        #expect(try VideoDevice.find("/dev/null", as: .camera) == nil)
        #expect(try VideoDevice.find("-", as: .camera) == nil)
        #expect(try VideoDevice.find("no such camera is called so", as: .camera) == nil)
        #expect(try OutputDevice.virtualCamera(folder.path("out.mp4")) == nil)
        #expect(try OutputDevice.virtualCamera("/dev/null") == nil)
    }

    @Test func aMissingDeviceIsNamed() {
        let advice = "there is no such device; 'matte devices' lists those that there are"
        #expect(sentence { _ = try MediaReader(path: "/dev/video987") } == "can't open '/dev/video987': \(advice)")
        #expect(
            sentence { _ = try OutputDevice.virtualCamera("/dev/v4l/by-id/nothing") }
                == "can't write to '/dev/v4l/by-id/nothing': \(advice)")
    }

    @Test func whyADeviceCanNotBeOpenedIsKnown() throws {
        #expect(VideoDevice(path: folder.path("gone")).errorNumber == ENOENT)
        try Data().write(to: folder.url("device"))
        #expect(VideoDevice(path: folder.path("device/below")).errorNumber == ENOTDIR)
        #expect(
            sentence { _ = try DeviceWatch(path: folder.path("gone")) }
                == "can't watch '\(folder.path("gone"))': no such file or directory")
    }

    @Test func everyFailureSaysWhatToDo() {
        let camera = DeviceErrors(path: "/dev/video0", role: .camera)
        #expect(
            camera.failure(.system(ENODEV)).description
                == "can't open '/dev/video0': it is gone; 'matte devices' lists those that there are")
        #expect(
            camera.busy([DeviceHolder(processIdentifier: 12, name: "zoom")]).description
                == "can't open '/dev/video0': it is in use by zoom (process 12); end that program first")
        #expect(
            camera.failure(.system(ETIMEDOUT)).description
                == "can't open '/dev/video0': no picture came from it; check its cable and its shutter, or choose another mode"
        )
        #expect(camera.failure(.system(ENODEV)).kind == .noInput)
        let output = DeviceErrors(path: "/dev/video10", role: .virtualCamera)
        #expect(
            output.notVirtualCamera.description
                == "can't write to '/dev/video10': it is not a virtual camera; "
                + "make one with 'sudo modprobe v4l2loopback exclusive_caps=1 card_label=matte'")
        #expect(output.notVirtualCamera.kind == .cannotCreate)
        let modes = [CameraMode(pixelFormat: "mjpeg", size: .init(width: 640, height: 480), rates: .some([30]))]
        #expect(
            camera.noMode("1280x720", modes: modes).description
                == "can't open '/dev/video0': it has no mode with 1280x720; it has mjpeg 640x480 at 30 fps")
    }

    @Test func theGroupToJoinIsTheDevices() throws {
        // A file that its group may use stands for the device.
        try Data().write(to: folder.url("device"))
        try #require(chmod(folder.path("device"), 0o660) == 0)
        let group = String(cString: getgrgid(getgid()).pointee.gr_name)
        let user = String(cString: getpwuid(getuid()).pointee.pw_name)
        let errors = DeviceErrors(path: folder.path("device"), role: .camera)
        #expect(
            errors.failure(.system(EACCES)).description
                == "can't open '\(folder.path("device"))': \(user) may not use it; "
                + "join the group '\(group)' with 'sudo usermod -aG \(group) \(user)' and log in again")
    }

    @Test func whoHasAFileOpenIsFound() throws {
        try Data().write(to: folder.url("held"))
        #expect(DeviceHolder.all(of: folder.path("held")).isEmpty)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sleep", "60"]
        process.standardInput = try FileHandle(forReadingFrom: folder.url("held"))
        try process.run()
        defer { process.terminate() }
        // What another test starts at the same moment inherits the file.
        let holder = DeviceHolder.all(of: folder.path("held")).first {
            $0.processIdentifier == process.processIdentifier
        }
        #expect(holder?.maps(folder.path("held")) == false)
    }

    @Test func comingAndGoingIsNoticed() throws {
        try Data().write(to: folder.url("watched"))
        let watch = try DeviceWatch(path: folder.path("watched"))
        #expect(!watch.isWatched)
        #expect(watch.waitForChange(milliseconds: 0) == .timedOut)
        let handle = try FileHandle(forReadingFrom: folder.url("watched"))
        #expect(watch.waitForChange(milliseconds: 60_000) == .ready)
        #expect(!watch.isWatched, "this process does not count")
        try handle.close()
        #expect(watch.waitForChange(milliseconds: 60_000) == .ready)
        watch.interrupt()
        #expect(watch.waitForChange() == .interrupted)
    }
}
