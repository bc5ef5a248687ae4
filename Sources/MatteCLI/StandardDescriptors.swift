import Glibc

/// Standard input, output and error, as descriptors, and what else the caller has open.
enum StandardDescriptors {
    /// What was open when the program began.
    static let inherited: Set<CInt> = {
        var numbers: Set<CInt> = []
        guard let folder = opendir("/proc/self/fd") else { return numbers }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if let number = CInt(name) { numbers.insert(number) }
        }
        let own = dirfd(folder)
        closedir(folder)
        return numbers.subtracting([own])
    }()

    /// Takes the place of those that the caller has closed, so that no file that is opened later is taken for one of them.
    ///
    /// Reading and writing them fails, as it does with what is closed.
    static func occupy() {
        _ = inherited
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the one that open(2) gives.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
