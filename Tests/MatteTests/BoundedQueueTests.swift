import Dispatch
import Synchronization
import Testing

@testable import Matte

struct BoundedQueueTests {
    @Test func everythingArrivesInOrderAndThenTheEnd() {
        let queue = BoundedQueue<Int>(capacity: 2)
        DispatchQueue(label: "producer").async {
            for number in 0..<1000 { _ = queue.put(number) }
            queue.finish()
        }
        var taken: [Int] = []
        while let number = queue.take() { taken.append(number) }
        #expect(taken == Array(0..<1000))
        #expect(queue.take() == nil, "the end stays the end")
    }

    @Test func neverMoreThanItsCapacityIsUnderWay() {
        let queue = BoundedQueue<Int>(capacity: 3)
        let put = Atomic(0)
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "producer").async {
            for number in 0..<100 {
                guard queue.put(number) else { break }
                put.add(1, ordering: .sequentiallyConsistent)
            }
            queue.finish()
            done.signal()
        }
        var taken = 0
        while queue.take() != nil {
            taken += 1
            // One more may just have been let in by this take.
            #expect(put.load(ordering: .sequentiallyConsistent) <= taken + 3)
        }
        done.wait()
        #expect(taken == 100)
    }

    @Test func cancellingLetsAWaitingProducerGo() {
        let queue = BoundedQueue<Int>(capacity: 1)
        let result = Mutex<[Bool]>([])
        let group = DispatchGroup()
        DispatchQueue(label: "producer").async(group: group) {
            let first = queue.put(1)
            let second = queue.put(2)
            result.withLock { $0 = [first, second] }
        }
        queue.cancel()
        group.wait()
        #expect(result.withLock { $0.last } == false)
        #expect(queue.take() == nil)
    }

    @Test func cancellingLetsAWaitingConsumerGo() {
        let queue = BoundedQueue<Int>(capacity: 1)
        let group = DispatchGroup()
        let taken = Mutex<Int?>(7)
        DispatchQueue(label: "consumer").async(group: group) {
            let element = queue.take()
            taken.withLock { $0 = element }
        }
        queue.cancel()
        group.wait()
        #expect(taken.withLock { $0 } == nil)
    }
}
