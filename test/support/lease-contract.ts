import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Lease, type LeaseStore, takeLease } from '../../functions/lib/lease.ts'

export interface LeaseContract<Held extends Lease> {
  /** Two stores of one new lease each time: two processes that know nothing of each other. */
  stores: () => [LeaseStore<Held>, LeaseStore<Held>]
  /** A lease of the n-th owner. */
  lease: (n: number) => Held
  close: () => Promise<void>
}

/** What every store of leases must do. */
export const leaseContract = <Held extends Lease>(
  name: string,
  start: () => Promise<LeaseContract<Held>>,
): void => {
  describe(`a lease in ${name}`, () => {
    let contract: LeaseContract<Held>

    beforeAll(async () => {
      contract = await start()
    })
    afterAll(() => contract?.close())

    const working = async () => false
    const ended = async () => true
    const begin = () => {
      const [store, other] = contract.stores()
      return { store, other, first: contract.lease(1), second: contract.lease(2), third: contract.lease(3) }
    }

    it('is free at first, and then its owner’s', async () => {
      const { store, other, first } = begin()
      expect(await store.holder()).toBeUndefined()
      expect(await takeLease(store, first, working)).toMatchObject({ outcome: 'taken' })
      expect(await other.holder()).toEqual(first)
    })

    it('is still its owner’s when the owner takes it again, and nobody asks whether it has expired', async () => {
      const { store, other, first } = begin()
      await takeLease(store, first, working)
      const again = await takeLease(other, first, () => Promise.reject(new Error('asked')))
      expect(again).toMatchObject({ outcome: 'taken' })
      expect(again).not.toHaveProperty('deadOwner')
    })

    it('is refused to others while its owner works', async () => {
      const { store, other, first, second } = begin()
      await takeLease(store, first, working)
      expect(await takeLease(other, second, working)).toEqual({ outcome: 'held', by: first })
      expect(await store.holder()).toEqual(first)
    })

    it('expires with the work of its owner: the next one takes it, and learns from whom', async () => {
      const { store, other, first, second } = begin()
      await takeLease(store, first, working)
      const taken = await takeLease(other, second, async owner => owner === first.owner)
      expect(taken).toMatchObject({ outcome: 'taken', deadOwner: first.owner })
      expect(await store.holder()).toEqual(second)
    })

    it('is taken from the owner that was found ended, not from one that came since', async () => {
      const { store, other, first, second, third } = begin()
      await takeLease(store, first, working)
      const late = await takeLease(store, third, async owner => {
        await takeLease(other, second, ended)
        return owner === first.owner
      })
      expect(late).toEqual({ outcome: 'held', by: second })
    })

    it('is free after its release, however often it is released', async () => {
      const { store, other, first, second } = begin()
      await takeLease(store, first, working)
      await store.release(first.owner)
      await store.release(first.owner)
      expect(await other.holder()).toBeUndefined()
      expect(await takeLease(other, second, working)).toMatchObject({ outcome: 'taken' })
    })

    it('is not released by an owner that has lost it, or never had it', async () => {
      const { store, other, first, second, third } = begin()
      await store.release(first.owner)
      await takeLease(store, first, working)
      await takeLease(other, second, ended)
      await store.release(first.owner)
      await store.release(third.owner)
      expect(await store.holder()).toEqual(second)
    })

    it('goes to one of many that want it at the same moment', async () => {
      const { store, other } = begin()
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, n) => takeLease(n % 2 ? store : other, contract.lease(n), working)),
      )
      expect(results.filter(({ outcome }) => outcome === 'taken')).toHaveLength(1)
    })

    it('goes to one of many that find it expired at the same moment', async () => {
      const { store, other } = begin()
      const gone = contract.lease(99)
      await takeLease(store, gone, working)
      const hasExpired = async (owner: Held['owner']) => owner === gone.owner
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, n) => takeLease(n % 2 ? store : other, contract.lease(n), hasExpired)),
      )
      expect(results.filter(({ outcome }) => outcome === 'taken')).toHaveLength(1)
    })
  })
}
