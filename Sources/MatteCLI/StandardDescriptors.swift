import Glibc
import Media

/// Standard input, output and error, as descriptors, and what else the caller has open.
enum StandardDescriptors {
    /// What was open when the program began.
    static let inherited = Set(
        // Among them is that of the folder itself, which is closed by now.
        LocalFile.names(inFolder: "/proc/self/fd").compactMap { CInt($0) }.filter { fcntl($0, F_GETFD) >= 0 })

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
