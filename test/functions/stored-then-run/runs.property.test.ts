import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'
import { starts as ways } from './catalogue.ts'
import { componentId, OWN, openStarts, type Place, SECRET, type Token } from './open-starts.ts'

const starts = await untilEnd(openStarts())

const permission = fc.constantFrom('none', 'read', 'write')
const settings = fc.record({ own: permission, secret: permission, manages: fc.integer({ max: 5, min: 0 }) })
const kinds = ['put', 'resend', 'secret', 'row', 'row text', 'copy', 'rollback', 'weaken', 'delete'] as const
const step = fc.record({ kind: fc.constantFrom(...kinds), who: fc.nat({ max: 3 }) })

/** What a token stores has its mark in it, so that what runs says by itself whose it is. */
const markOf = ({ id }: Token) => `by-${id}`

const permissionsOf = ({ own, secret }: { own: string; secret: string }) =>
  Object.fromEntries(
    [[OWN, own] as const, [SECRET, secret] as const].filter(([, granted]) => granted !== 'none'),
  )

/** Requests that read or change something in a bucket, as anybody can send them. */
const direct = async (headers: Record<string, string>): Promise<boolean[]> =>
  Promise.all(
    [OWN, SECRET].flatMap(bucketId => [
      starts.service.call('GET', `/v2/storage/buckets/${bucketId}`, undefined, headers),
      starts.service.call(
        'POST',
        `/v2/storage/buckets/${bucketId}/metadata`,
        { provider: 'test', metadata: [{ key: 'k', value: 'v' }] },
        headers,
      ),
    ]),
  ).then(replies => replies.map(({ status }) => status < 400))

const carryOut = async (place: Place, kind: (typeof kinds)[number], by: Token): Promise<Place> => {
  const path = starts.pathOf(place)
  const mark = { [markOf(by)]: true }
  const { configuration: base } = starts
  switch (kind) {
    case 'put':
      await starts.call('PUT', path, { configuration: { ...base, ...mark } }, by)
      return place
    case 'resend':
    case 'secret': {
      // Sealed values of others stay, all that can be read is the sender's own.
      const { configuration } = await starts.call('GET', path, undefined, by)
      const sealed = Object.fromEntries(Object.entries(configuration).filter(([key]) => key.startsWith('#')))
      const own = kind === 'secret' ? { [`#${markOf(by)}`]: 'secret' } : {}
      await starts.call('PUT', path, { configuration: { ...base, ...sealed, ...own, ...mark } }, by)
      return place
    }
    case 'row':
      await starts.call('POST', `${path}/rows`, { configuration: mark }, by)
      return place
    case 'row text': {
      const [row] = await starts.call('GET', `${path}/rows`, undefined, by)
      if (row) await starts.call('PUT', `${path}/rows/${row.id}`, { configuration: mark }, by)
      return place
    }
    case 'copy': {
      const { version } = await starts.call('GET', path, undefined, by)
      const { id } = await starts.call('POST', `${path}/versions/${version}/create`, { name: 'Copy' }, by)
      return { configId: id }
    }
    case 'rollback':
      await starts.call('POST', `${path}/versions/1/rollback`, {}, by)
      return place
    case 'weaken':
      await starts.call('PUT', `tokens/${by.id}`, { bucketPermissions: {} })
      return place
    case 'delete':
      await starts.call('DELETE', `tokens/${by.id}`)
      return place
  }
}

it('a run reads and changes nothing that a direct request of the weakest of its participants could not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(settings, { minLength: 4, maxLength: 4 }),
      fc.array(step, { maxLength: 6 }),
      fc.constantFrom(...ways),
      fc.nat({ max: 3 }),
      async (given, steps, way, setter) => {
        const tokens: Token[] = []
        for (const each of given)
          tokens.push(
            await starts.newToken({
              componentAccess: [componentId],
              bucketPermissions: permissionsOf(each),
              ...(each.manages === 0 && { canManageBuckets: true }),
            }),
          )
        const [first, ...others] = tokens
        if (!first) return
        const whole = { ...starts.configuration, [markOf(first)]: true }
        let place = await starts.store(whole, first)
        for (const { kind, who } of steps) {
          const by = tokens[who] ?? first
          // What a token may not do any more is not done.
          place = await carryOut(place, kind, by).catch(() => place)
        }
        const by = tokens[setter] ?? first
        const setOff = await starts.prepare(way, place, by).catch(() => undefined)
        await setOff?.().catch(() => undefined)
        const begun = await starts.takeBegun()
        if (!begun) return
        const marks = begun.text
        const isSetter = !['operator', 'schedule'].includes(way)
        const participants = [first, ...others].filter(
          token => marks.includes(`${markOf(token)}"`) || (isSetter && token === by && way !== 'later step'),
        )
        const may = await direct(begun.headers)
        for (const token of participants) {
          const could = await direct(token.headers)
          for (const [index, isAllowed] of may.entries())
            expect([token.id, could[index] || !isAllowed]).toEqual([token.id, true])
        }
      },
    ),
    { numRuns: runs(60), seed: 30 },
  )
})
