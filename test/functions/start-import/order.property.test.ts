import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LandedObject } from '#lib/landed-object.ts'
import { dyingAt, startLanding, unreadable } from '../../support/landing.ts'
import { isThorough } from '../../support/thorough.ts'
import { untilEnd } from '../../support/until-end.ts'

let tables = 0

const landing = await untilEnd(startLanding())

interface Version {
  incremental: boolean
  ids: number[]
  defect: 'none' | 'ragged' | 'metadata'
  /** Nothing of the version can be read for now: its bytes are there again when somebody asks once more. */
  isBlocked: boolean
}

/** What happens next: a version lands, or an event of one that has landed comes. */
type Happening =
  | { type: 'land' }
  | { type: 'event'; version: number; diesAt: number | undefined; isBesideTheNext: boolean }

interface Story {
  isKeyed: boolean
  versions: Version[]
  happenings: Happening[]
  /** In this order somebody asks for all of them once more, when nothing fails any longer. */
  redriven: number[]
}

const version: fc.Arbitrary<Version> = fc.record({
  incremental: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
  ids: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
  defect: fc.oneof(
    { weight: 6, arbitrary: fc.constant('none' as const) },
    fc.constantFrom('ragged' as const, 'metadata' as const),
  ),
  isBlocked: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
})

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ type: 'land' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('event' as const),
      version: fc.nat({ max: 4 }),
      diesAt: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.integer({ min: 1, max: 30 })),
      isBesideTheNext: fc.boolean(),
    }),
  },
)

const story: fc.Arbitrary<Story> = fc.array(version, { minLength: 2, maxLength: 5 }).chain(versions =>
  fc.record({
    isKeyed: fc.boolean(),
    versions: fc.constant(versions),
    happenings: fc.array(happening, { minLength: 3, maxLength: 12 }),
    redriven: fc.shuffledSubarray(
      versions.map((_, index) => index),
      { minLength: versions.length },
    ),
  }),
)

const csvOf = ({ ids, defect }: Version, index: number): string =>
  `id,v\n${ids.map(id => `${id},${index}\n`).join('')}${defect === 'ragged' ? '9\n' : ''}`

const metadataOf = ({ incremental, defect }: Version, isKeyed: boolean): Record<string, string> => ({
  incremental: defect === 'metadata' ? 'perhaps' : incremental ? '1' : '0',
  ...(isKeyed ? { 'primary-key': 'id' } : {}),
})

/** The table that all versions give one after the other, without those that cannot be read. */
const foldOf = ({ versions, isKeyed }: Story): string[] => {
  let rows: [number, number][] = []
  versions.forEach(({ ids, incremental, defect }, index) => {
    if (defect !== 'none') return
    const kept = !incremental ? [] : isKeyed ? rows.filter(([id]) => !ids.includes(id)) : rows
    rows = [...kept, ...ids.map((id): [number, number] => [id, index])]
  })
  return rows.map(([id, index]) => `${id},${index}`).sort()
}

const play = async (told: Story): Promise<{ rows: string[]; ends: string[] }> => {
  const bucketId = `in.c-order${++tables}`
  const key = `${bucketId}/orders.csv`
  const landed: LandedObject[] = []
  const blocked = new Set<string | undefined>()
  const s3 = unreadable(landing.service.s3, blocked)
  const land = async (): Promise<void> => {
    const next = told.versions[landed.length]
    if (!next) return
    const object = await landing.land(key, csvOf(next, landed.length), metadataOf(next, told.isKeyed))
    if (next.isBlocked) blocked.add(object.versionId)
    landed.push(object)
  }
  const ends: string[] = []
  let underWay: Promise<void>[] = []
  const execute = async (event: LandedObject, diesAt: number | undefined): Promise<void> => {
    const execution = landing.newExecution()
    const deaths =
      diesAt === undefined ? {} : dyingAt(diesAt, diesAt % 2 ? 'before' : 'after', landing.dependencies)
    try {
      const end = await landing.execute(event, { s3, ...deaths }, execution)
      ends.push(end.status === 'failed' ? end.error : end.result.outcome)
    } catch {
      // Somebody stops it where it died.
      ends.push('stopped')
    }
    landing.stop(execution)
  }

  for (const next of told.happenings) {
    if (next.type === 'land') {
      await land()
      continue
    }
    const event = landed[next.version % Math.max(1, landed.length)]
    if (!event) continue
    underWay.push(execute(event, next.diesAt))
    if (next.isBesideTheNext) continue
    await Promise.all(underWay)
    underWay = []
  }
  await Promise.all(underWay)
  while (landed.length < told.versions.length) await land()
  blocked.clear()
  for (const index of told.redriven) {
    const event = landed[index]
    if (event) await execute(event, undefined)
  }
  return { rows: (await landing.rowsOf(`${bucketId}.orders`)).sort(), ends }
}

it('whatever comes late, twice, at once, fails or dies: the table is what the versions give in their order', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(story, async told => {
      const { rows } = await play(told)
      expect(rows).toEqual(foldOf(told))
    }),
    {
      numRuns: Number(process.env['LANDING_STORIES'] ?? (isThorough ? 15 : 6)),
      interruptAfterTimeLimit: 400_000,
    },
  )
})
