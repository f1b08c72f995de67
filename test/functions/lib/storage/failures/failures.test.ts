import fc from 'fast-check'
import pMap from 'p-map'
import { describe, expect, it } from 'vitest'
import { createIdSource } from '#lib/storage/db/ids.ts'
import { createFailureStore } from '#lib/storage/failures/failure-store.ts'
import { type Ended, failedSubject, mendedSubjects } from '#lib/storage/failures/subject.ts'
import { createMemoryItemTable } from '#support/memory-item-table.ts'
import { runs } from '#support/thorough.ts'

/* Rule 8: a failure has a place. Only a success of the same or a later place removes it, and none is kept behind a later success. */

/** How a version of one landing key ended. */
interface VersionEnd {
  failed: boolean
  /** `null`: nobody could say how it was to be loaded. */
  isIncremental: boolean | null
  /** Absent: a person asked, and gave no place. */
  place: number | undefined
  minute: number
}

const timeOf = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute))

const endedOf = ({ place, minute }: VersionEnd): Ended => ({
  machine: 'import',
  name: `${place} at ${minute}`,
  startDate: timeOf(minute),
  stopDate: timeOf(minute),
  input:
    place === undefined
      ? { bucket: 'landing', key: 'a.csv' }
      : {
          source: 'aws.s3',
          'detail-type': 'Object Created',
          detail: {
            bucket: { name: 'landing' },
            object: { key: 'a.csv', 'version-id': `v${place}`, sequencer: `0${place}` },
          },
        },
})

const startStore = () => {
  const store = createFailureStore(createMemoryItemTable(), createIdSource(), () => timeOf(0))
  return {
    ...store,
    tell: async (end: VersionEnd): Promise<void> => {
      const ended = endedOf(end)
      const details = { isIncremental: end.isIncremental, versionId: `v${end.place}` }
      if (!end.failed) {
        const mends = { isIncremental: end.isIncremental === true, versionId: `v${end.place}` }
        for (const subject of mendedSubjects(ended, { jobId: 7, mends })) await store.mend(subject)
        return
      }
      const failure = {
        machine: 'import',
        source: { machine: 'arn:machine', execution: ended.name },
        input: {},
        failure: { code: 'c', message: 'm' },
        details: {},
        at: ended.stopDate.toISOString(),
      }
      await store.keep(failure, failedSubject(ended, details))
    },
    open: async () => (await Array.fromAsync(store.list())).map(({ source }) => source.execution).sort(),
  }
}

const [fails, succeeds] = [true, false]
const end = (
  failed: boolean,
  isIncremental: boolean | null,
  place: number | undefined,
  minute: number,
): VersionEnd => ({ failed, isIncremental, place, minute })

describe('rule 8, a failure has a place: what failed and nobody has mended', () => {
  it.each<[string, VersionEnd[], number[]]>([
    ['a failure', [end(fails, false, 1, 1)], [0]],
    ['only the last of many', [end(fails, false, 1, 1), end(fails, false, 2, 2)], [1]],
    ['nothing behind a success', [end(fails, false, 1, 1), end(succeeds, false, 2, 2)], []],
    ['nothing of the same place', [end(fails, false, 1, 1), end(succeeds, false, 1, 2)], []],
    ['nothing, when it is told late', [end(succeeds, false, 2, 1), end(fails, false, 1, 9)], []],
    ['what failed after the success', [end(succeeds, false, 1, 9), end(fails, false, 2, 2)], [1]],
    ['a version that is added', [end(fails, true, 1, 1), end(succeeds, true, 2, 2)], [0]],
    ['each version that is added', [end(fails, true, 1, 1), end(fails, true, 2, 2)], [0, 1]],
    ['no version behind one that replaces all', [end(fails, true, 1, 1), end(succeeds, false, 2, 2)], []],
    ['a version after one that replaces all', [end(fails, true, 3, 1), end(succeeds, false, 2, 2)], [0]],
    ['no version that was loaded itself', [end(fails, true, 1, 1), end(succeeds, true, 1, 2)], []],
    ['what replaces, though one was added', [end(fails, false, 1, 1), end(succeeds, true, 2, 2)], [0]],
    ['no file that nobody can load', [end(fails, null, 1, 1), end(succeeds, true, 2, 2)], []],
    ['what a person asked for later', [end(succeeds, false, 9, 1), end(fails, false, undefined, 2)], [1]],
    ['nothing that a person has mended', [end(fails, false, 9, 1), end(succeeds, false, undefined, 2)], []],
  ])('is %s', async (_what, ends, open) => {
    for (const told of [ends, ends.toReversed(), [...ends, ...ends]]) {
      const store = startStore()
      for (const each of told) await store.tell(each)
      expect(await store.open()).toEqual(open.map(index => endedOf(ends[index] as VersionEnd).name).sort())
    }
  })

  it('of a later version stays, though a person has failed since and an earlier version came late', async () => {
    const store = startStore()
    for (const each of [end(fails, false, 2, 1), end(fails, false, undefined, 2), end(succeeds, false, 1, 3)])
      await store.tell(each)
    expect(await store.open()).toHaveLength(1)
    await store.tell(end(succeeds, false, 2, 4))
    expect(await store.open()).toEqual([])
  })
})

it('is the same in whatever order and however often ends are told', () =>
  fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(
        fc.record({
          failed: fc.boolean(),
          isIncremental: fc.constantFrom(true, false, null),
          place: fc.integer({ min: 1, max: 4 }),
        }),
        // A version ends in one way: others follow it as versions of their own.
        { selector: ({ place }) => place, maxLength: 4 },
      ),
      fc.array(fc.nat(3), { maxLength: 8 }),
      async (given, again) => {
        const ends = given.map((each, minute): VersionEnd => ({ ...each, minute }))
        const names = (some: VersionEnd[]) => some.map(each => endedOf(each).name).sort()
        const mendedBy = (failure: VersionEnd) => (other: VersionEnd) => {
          const isLater = (other.place ?? 0) >= (failure.place ?? 0)
          if (!isLater) return false
          if (other.failed)
            return (
              failure.isIncremental !== true &&
              other !== failure &&
              other.isIncremental === failure.isIncremental
            )
          return other.isIncremental !== true || failure.isIncremental === null
        }
        const expected = ends.filter(each => each.failed && !ends.some(mendedBy(each)))
        const store = startStore()
        const repeats = again.flatMap(index => ends[index] ?? [])
        await pMap([...repeats, ...ends.toReversed(), ...repeats], store.tell, { concurrency: 3 })
        expect(await store.open()).toEqual(names(expected))
      },
    ),
    { numRuns: runs(200) },
  ))

it('of a bucket without versions each event names one, and each run that a person starts', () => {
  const scopesOf = (name: string, sequencer?: string) => {
    const ended: Ended = { ...endedOf(end(fails, true, undefined, 1)), name }
    const input = { detail: { bucket: { name: 'landing' }, object: { key: 'a.csv', sequencer } } }
    const event = { source: 'aws.s3', 'detail-type': 'Object Created', ...input }
    const of = sequencer === undefined ? ended : { ...ended, input: event }
    const mended = mendedSubjects(of, { mends: { isIncremental: true } })
    return [failedSubject(of, { isIncremental: true }).scope, mended[0]?.scope]
  }
  const scopes = [scopesOf('e', '0A'), scopesOf('f', '0B'), scopesOf('e'), scopesOf('f')]
  for (const [failed, mended] of scopes) expect(mended).toBe(failed)
  expect(new Set(scopes.flat()).size).toBe(scopes.length)
  expect(scopesOf('again', '0A')).toEqual(scopes[0])
})

it('what is deleted is forgotten, and fails again as something new', async () => {
  const store = startStore()
  await store.tell(end(fails, false, 1, 1))
  const [first] = await Array.fromAsync(store.list())
  expect([await store.delete(first?.id ?? 0), await store.delete(first?.id ?? 0)]).toEqual([true, false])
  await store.tell(end(fails, false, 1, 2))
  const [second] = await Array.fromAsync(store.list())
  expect(second?.id).not.toBe(first?.id)
})

describe('a success of', () => {
  const run = { startDate: timeOf(0), stopDate: timeOf(1), name: 'r' }
  const input = { componentId: 'ex', configId: 1 }

  it('a configuration mends its failure, but not those of others, and not when nothing was read', () => {
    const failed = failedSubject({ ...run, machine: 'extract', input }, {})
    const mended = (more: object, output: object = {}) =>
      mendedSubjects({ ...run, machine: 'extract', input: { ...input, ...more } }, output).map(
        ({ name }) => name,
      )
    expect(mended({ trigger: 'x' })).toEqual([failed.name])
    expect(mended({ branchId: 7 })).not.toEqual([failed.name])
    expect(mended({}, { status: 'skipped' })).toEqual([])
  })

  it('an import that says nothing of earlier ones mends nothing', () => {
    expect(
      mendedSubjects({ ...run, machine: 'import', input: { bucket: 'b', key: 'k' } }, { jobId: 7 }),
    ).toEqual([])
  })
})
