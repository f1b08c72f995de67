import { beforeAll, describe, expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { type Part, parts, type Start, starts as ways } from './catalogue.ts'
import { componentId, OWN, openStarts, type Place, SECRET, type Token } from './open-starts.ts'

let strong: Token
/** Sets everything off: what a run may not do, it does not lack. */

const starts = await untilEnd(openStarts())
const manager = await starts.newToken({ canManageBuckets: true })
const weak = await starts.newToken({ componentAccess: [componentId], bucketPermissions: { [OWN]: 'write' } })

const newStrong = () =>
  starts.newToken({
    componentAccess: [componentId],
    bucketPermissions: { [OWN]: 'write', [SECRET]: 'write' },
  })
const edited = () => ({ ...starts.configuration, processors: {} })
const put = (place: Place, body: object, by?: Token) => starts.call('PUT', starts.pathOf(place), body, by)

/** Of a run that is under way, what is stored later is no part. */
const runsWhatIsStoredBefore = (start: Start): boolean => start === 'later step'
/** In a branch nothing starts by itself. */
const onlyInDefault: ReadonlySet<Start> = new Set(['schedule', 'trigger'])

type Scenario = (start: Start) => Promise<() => Promise<string>>

const scenarios: Record<string, Scenario> = {
  'author weaker': async start =>
    starts.prepare(start, await starts.store(starts.configuration, weak), manager),
  'author later weakened': async start => {
    const setOff = await starts.prepare(start, await starts.store(starts.configuration, strong), manager)
    await starts.call('PUT', `tokens/${strong.id}`, { bucketPermissions: { [OWN]: 'write' } })
    return setOff
  },
  'author deleted': async start => {
    const setOff = await starts.prepare(start, await starts.store(starts.configuration, strong), manager)
    await starts.call('DELETE', `tokens/${strong.id}`)
    return setOff
  },
  'editor weaker than the owner': async start => {
    const place = await starts.store(starts.configuration, strong)
    const edit = () => put(place, { configuration: edited() }, weak)
    if (runsWhatIsStoredBefore(start)) await edit()
    const setOff = await starts.prepare(start, place, manager)
    if (!runsWhatIsStoredBefore(start)) await edit()
    return setOff
  },
  'other project branch': async start => {
    const place = await starts.store(starts.configuration, strong)
    const branchId = await starts.branch()
    await put({ ...place, branchId }, { configuration: edited() }, weak)
    return starts.prepare(start, { ...place, branchId }, manager)
  },
}

describe.each(ways)('a run that is set off by %s', start => {
  beforeAll(async () => {
    strong = await newStrong()
  })

  it('may do what all may that stored it', async () => {
    const setOff = await starts.prepare(start, await starts.store(starts.configuration, strong), manager)
    expect(await setOff()).toBe('write')
  })

  const ofStart = Object.keys(scenarios).filter(
    name => name !== 'other project branch' || !onlyInDefault.has(start),
  )
  it.each(ofStart)('may do no more than the weakest: %s', async name => {
    strong = await newStrong()
    const setOff = await scenarios[name]?.(start)
    expect(await setOff?.()).toBeOneOf([
      'nothing',
      'not started',
      'extractor.run.authorRefused',
      'extractor.run.configurationChanged',
    ])
  })
})

/** How the weak token stores a part that later stays, whatever the strong one changes beside it. Resolves to where it runs. */
const storesPart: Record<Part | 'a secret', (place: Place) => Promise<Place>> = {
  'the configuration': () => starts.store(starts.configuration, weak),
  'its text': async place => {
    await put(place, { configuration: edited() }, weak)
    return place
  },
  'a secret': async place => {
    const parameters = { config: { '#secret': 'of the weak one' } }
    await put(place, { configuration: { ...starts.configuration, parameters } }, weak)
    const { configuration } = await starts.call('GET', starts.pathOf(place))
    await put(place, { configuration: { ...configuration, more: {} } }, strong)
    return place
  },
  'trash and restore': async place => {
    await put(place, { configuration: edited() }, weak)
    await starts.call('DELETE', starts.pathOf(place), undefined, strong)
    await starts.call('POST', `${starts.pathOf(place)}/restore`, {}, strong)
    return place
  },
  'a reset in a branch': async place => {
    const branchId = await starts.branch()
    await put(place, { configuration: edited() }, weak)
    await starts.call('POST', `${starts.pathOf({ ...place, branchId })}/reset-to-default`, {}, strong)
    return { ...place, branchId }
  },
  'a rollback': async place => {
    await put(place, { configuration: edited() }, weak)
    await put(place, { configuration: starts.configuration }, strong)
    await starts.call('POST', `${starts.pathOf(place)}/versions/2/rollback`, {}, strong)
    return place
  },
  'a copy': async place => {
    await put(place, { configuration: edited() }, weak)
    const path = `${starts.pathOf(place)}/versions/2/create`
    return { configId: (await starts.call('POST', path, { name: 'Copy' }, strong)).id }
  },
  'a new row': async place => {
    await starts.call('POST', `${starts.pathOf(place)}/rows`, { rowId: 'r' }, weak)
    return place
  },
  'the text of a row': async place => {
    await starts.call('POST', `${starts.pathOf(place)}/rows`, { rowId: 'r' }, strong)
    await starts.call('PUT', `${starts.pathOf(place)}/rows/r`, { configuration: { a: 1 } }, weak)
    await starts.call('PUT', `${starts.pathOf(place)}/rows/r`, { name: 'Renamed' }, strong)
    return place
  },
  'the removal of a row': async place => {
    await starts.call('POST', `${starts.pathOf(place)}/rows`, { rowId: 'r' }, strong)
    await starts.call('DELETE', `${starts.pathOf(place)}/rows/r`, undefined, weak)
    return place
  },
  'a rollback of a row': async place => {
    const row = `${starts.pathOf(place)}/rows/r`
    await starts.call('POST', `${starts.pathOf(place)}/rows`, { rowId: 'r' }, strong)
    await starts.call('PUT', row, { configuration: { a: 1 } }, weak)
    await starts.call('PUT', row, { configuration: {} }, strong)
    await starts.call('POST', `${row}/versions/2/rollback`, {}, strong)
    return place
  },
  'a copy of a row': async place => {
    const row = `${starts.pathOf(place)}/rows/r`
    const target = await starts.store(starts.configuration, strong)
    await starts.call('POST', `${starts.pathOf(place)}/rows`, { rowId: 'r' }, weak)
    await starts.call('POST', `${row}/versions/1/create`, { targetConfigId: target.configId }, strong)
    return target
  },
  'a trigger': async place => place,
  'a change of a trigger': async place => place,
  'a schedule of the scheduler': async place => place,
}

describe('a part that a weaker token stored bounds the run, whoever stores others after it', () => {
  const stored = [...new Set(Object.values(parts)), 'a secret' as const].filter(
    part => !/trigger|schedule/.test(part),
  )
  it.each(stored)('%s', async part => {
    strong = await newStrong()
    const before = await starts.store(starts.configuration, strong)
    const place = await storesPart[part](before)
    await put(place, { name: 'Renamed' }, strong)
    const setOff = await starts.prepare('operator', place, manager)
    expect(await setOff()).toBe('nothing')
  })

  it('until one that may do more stores all of it anew, also as it was', async () => {
    strong = await newStrong()
    const place = await starts.store({ ...starts.configuration }, weak)
    await starts.call('POST', `${starts.pathOf(place)}/rows`, { rowId: 'r', configuration: { a: 1 } }, weak)
    await put(place, { configuration: starts.configuration }, strong)
    const setOff = await starts.prepare('operator', place, manager)
    expect(await setOff()).toBe('nothing')
    await starts.call('PUT', `${starts.pathOf(place)}/rows/r`, { configuration: { a: 1 } }, strong)
    expect(await setOff()).toBe('write')
    // What is stored as it was by one that may do less takes nothing away.
    await put(place, { configuration: starts.configuration }, weak)
    expect(await setOff()).toBe('write')
  })
})

describe('a trigger', () => {
  const settings = (configurationId: string, runWithTokenId: string) => ({
    runWithTokenId: Number(runWithTokenId),
    component: componentId,
    configurationId,
    coolDownPeriodMinutes: 1,
    tableIds: [starts.watched],
  })

  it('of a weaker token gives the run no more than that token has', async () => {
    const place = await starts.store(starts.configuration, manager)
    const setOff = await starts.prepare('trigger', place, weak)
    expect(await setOff()).toBe('nothing')
  })

  it('that runs with a stronger token cannot be changed, not even in its configuration', async () => {
    const { configId } = await starts.store(starts.configuration, manager)
    const own = await starts.store(starts.configuration, weak)
    const { id } = await starts.call('POST', 'triggers', settings(configId, manager.id))
    for (const change of [
      { configurationId: own.configId },
      { coolDownPeriodMinutes: 2 },
      { tableIds: [starts.watched] },
    ])
      await expect(starts.call('PUT', `triggers/${id}`, change, weak)).rejects.toThrow(
        'may do more than your',
      )
    await starts.call('DELETE', `triggers/${id}`)
  })

  it('keeps the bounds of whoever stored a part of it, until another sends all of it', async () => {
    const { configId } = await starts.store(starts.configuration, manager)
    const { id } = await starts.call('POST', 'triggers', settings(configId, weak.id), weak)
    const bounds = async () =>
      (await starts.service.jobServices.triggers.get(Number(id)))?.authors.map(each => each.id)
    await starts.call('PUT', `triggers/${id}`, { runWithTokenId: Number(manager.id) }, manager)
    expect(await bounds()).toEqual([weak.id, manager.id])
    await starts.call('PUT', `triggers/${id}`, settings(configId, manager.id), manager)
    expect(await bounds()).toEqual([manager.id])
    await starts.call('DELETE', `triggers/${id}`)
  })
})
