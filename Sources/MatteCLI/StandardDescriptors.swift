import Glibc

/// Standard input, output and error, as descriptors.
enum StandardDescriptors {
    /// Takes the place of those that the caller has closed, so that no file that is opened later is taken for one of them.
    ///
    /// Reading and writing them fails, as it does with what is closed.
    static func occupy() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the one that open(2) gives.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
