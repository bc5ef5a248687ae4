/// Groups cells of a grid that touch each other, at corners too.
enum ConnectedCells {
    /// The indices of the cells in each group of those that are set, of a grid of `columns`.
    static func groups(of isSet: [Bool], columns: Int) -> [[Int]] {
        let rows = isSet.count / columns
        var isOpen = isSet
        var groups: [[Int]] = []
        for start in isSet.indices where isOpen[start] {
            isOpen[start] = false
            var group = [start]
            var next = 0
            while next < group.count {
                let (x, y) = (group[next] % columns, group[next] / columns)
                next += 1
                for neighbourY in max(0, y - 1)...min(rows - 1, y + 1) {
                    for neighbourX in max(0, x - 1)...min(columns - 1, x + 1) {
                        let neighbour = neighbourY * columns + neighbourX
                        guard isOpen[neighbour] else { continue }
                        isOpen[neighbour] = false
                        group.append(neighbour)
                    }
                }
            }
            groups.append(group)
        }
        return groups
    }
}
