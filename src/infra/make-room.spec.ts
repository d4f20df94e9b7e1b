import { makeRoom } from './make-room.js';

const mapOf = (count: number): Map<number, true> => new Map(Array.from({ length: count }, (_, key) => [key, true]));

describe('makeRoom', () => {
  it('leaves a map alone that has room', () => {
    const map = mapOf(9);
    makeRoom(map, 10);
    expect(map.size).toBe(9);
  });

  it.each([[1, 1, 0], [2, 2, 1], [10, 10, 8], [100, 100, 89], [120, 100, 89]])('of %d entries in a map for %d keeps the %d that were set last', (count, most, kept) => {
    const map = mapOf(count);
    makeRoom(map, most);
    expect([...map.keys()]).toEqual(Array.from({ length: kept }, (_, index) => count - kept + index));
  });

  it('visits few entries for each that is set, however many there were before', () => {
    let visited = 0;
    const map = new (class extends Map<number, true> {
      override *keys(): MapIterator<number> {
        for (const key of super.keys()) {
          visited += 1;
          yield key;
        }
      }
    })();
    for (let key = 0; key < 20_000; key += 1) {
      makeRoom(map, 1000);
      map.set(key, true);
    }
    expect(visited).toBeLessThan(2 * 20_000);
  });
});
