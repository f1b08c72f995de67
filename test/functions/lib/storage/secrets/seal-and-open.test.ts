import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOpener } from '#lib/storage/secrets/create-opener.ts'
import { createSealer } from '#lib/storage/secrets/create-sealer.ts'
import { startKeyService } from '#support/key-service.ts'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'

const owner = { projectId: 7, componentId: 'ex-generic-v2', configId: 'shop', tokenId: '1' }

const service = await untilEnd(startKeyService(['secrets', 'other']))

const sealer = () => createSealer(service)
const opener = () => createOpener(service)
const sealOne = async (secret: string): Promise<string> =>
  // A text under a `#` key is sealed to a text.
  ((await sealer()({ '#a': secret }, owner)) as { '#a': string })['#a']

describe('sealing', () => {
  it.each([
    ['a text', { '#token': 'abc' }],
    ['a number', { '#pin': 1234567 }],
    ['a text deep below', { api: { list: [{ '#token': 'abc' }] } }],
    ['texts in an object below', { '#login': { user: 'abc', list: ['abc'] } }],
    ['a literal argument', { '#auth': { function: 'concat', args: ['abc', { attr: 'user' }] } }],
    ['a number among arguments', { '#auth': { function: 'concat', args: [1234567] } }],
    ['arguments by name', { '#auth': { function: 'md5', args: { data: 'abc' } } }],
    ['a single argument', { '#auth': { function: 'md5', args: 'abc' } }],
    [
      'an argument of an argument',
      { '#a': { function: 'md5', args: [{ function: 'concat', args: ['abc', 'abc'] }] } },
    ],
    ['an expression further below', { '#a': { headers: { 'X-Key': { function: 'md5', args: ['abc'] } } } }],
    ['what only looks like an expression', { '#a': { attr: 'abc', other: 'abc', function: ['abc'] } }],
    ['what stands beside a function', { '#a': { function: 'time', note: 'abc' } }],
    ['what looks like a reference, but is none outside of arguments', { '#a': { user: 'abc' } }],
  ])('hides %s', async (_what, value) => {
    const sealed = JSON.stringify(await sealer()(value, owner))
    expect(sealed).not.toMatch(/abc|1234567/)
    expect(sealed).toMatch(/"KBC::ProjectSecure::[A-Za-z0-9+/]+=*"/)
  })

  it.each([
    ['what is no secret', { token: 'abc', n: 1, list: [true, null, {}] }],
    ['nothing', { '#token': '', '#other': null }],
    ['what is sealed already', { '#token': 'KBC::ProjectSecure::eJwB' }],
    ['what another service sealed', { '#token': 'KBC::ProjectSecureKV::eJwB' }],
    ['expressions that name secrets', { '#token': { function: 'concat', args: ['', { attr: '#token' }] } }],
    [
      'references to other contexts',
      { '#a': { function: 'concat', args: [{ time: 'currentStart' }, { parent2: 'id' }] } },
    ],
    ['switches among arguments', { '#a': { function: 'md5', args: [{ attr: 'b' }, true] } }],
    ['expressions elsewhere', { token: { function: 'concat', args: ['abc'] } }],
    ['empty objects and lists', { '#a': {}, '#b': [] }],
  ])('leaves %s', async (_what, value) => {
    expect(await sealer()(value, owner)).toEqual(value)
  })

  it('refuses more than a thousand secrets at once, before it seals one, and counts no sealed ones', async () => {
    const many = (count: number, secret: string) => ({ '#list': Array.from({ length: count }, () => secret) })
    const before = service.calls.length
    await expect(sealer()(many(1_001, 'a'), owner)).rejects.toMatchObject({ code: 'secrets.tooMany' })
    expect(service.calls.length).toBe(before)
    const sealed = many(1_001, 'KBC::ProjectSecure::eJwB')
    expect(await sealer()(sealed, owner)).toEqual(sealed)
  })

  it('asks KMS once for many secrets of a configuration', async () => {
    const before = service.calls.length
    const value = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`#k${index}`, `s${index}`]))
    const seal = sealer()
    await seal(value, owner)
    expect(service.calls.slice(before)).toEqual(['kms:GenerateDataKey'])
  })

  it('gives equal secrets different texts', async () => {
    expect(await sealOne('abc')).not.toBe(await sealOne('abc'))
  })
})

describe('opening', () => {
  it('gives an expression back, its literal arguments as texts', async () => {
    const expression = { function: 'hash_hmac', args: ['sha256', { attr: 'a' }, 'key', true] }
    const sealed = await sealer()({ '#sign': expression }, owner)
    expect(sealed).not.toEqual({ '#sign': expression })
    expect(await opener()(sealed, owner)).toEqual({ '#sign': expression })
  })

  it('gives back what was sealed, whatever it was', async () => {
    const seal = sealer()
    const open = opener()
    const json = fc.jsonValue({ maxDepth: 4 }).filter(value => !JSON.stringify(value).includes('"KBC::'))
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), json, async (secret, rest) => {
        fc.pre(!secret.startsWith('KBC::') && secret.isWellFormed())
        const value = { rest, '#secret': secret }
        const sealed = await seal(value, owner)
        expect(await open(sealed, owner)).toEqual(await withTexts(value))
      }),
      { numRuns: runs(30) },
    )
  })

  it.each([
    ['of another component', { ...owner, componentId: 'wr-other' }],
    ['of another project', { ...owner, projectId: 8 }],
    ['of another configuration', { ...owner, configId: 'other' }],
  ])('refuses a secret %s', async (_what, other) => {
    const sealed = await sealer()({ '#token': 'abc' }, other)
    await expect(opener()(sealed, owner)).rejects.toMatchObject({
      name: 'UserError',
      code: 'secrets.notOpened',
    })
  })

  it('refuses a secret that was changed, and one of another service', async () => {
    const sealed = await sealOne('abc')
    const changed = `${sealed.slice(0, -8)}${sealed.at(-8) === 'A' ? 'B' : 'A'}${sealed.slice(-7)}`
    for (const secret of [changed, 'KBC::ProjectSecureKV::abc', 'KBC::ProjectSecure::abc'])
      await expect(opener()({ '#a': secret }, owner)).rejects.toMatchObject({ code: 'secrets.notOpened' })
  })

  it('does not open under another key', async () => {
    const open = createOpener({ ...service, keyArn: service.arns[1] ?? '' })
    await expect(open({ '#a': await sealOne('abc') }, owner)).rejects.toMatchObject({
      code: 'secrets.notOpened',
    })
  })
})

/** Numbers and booleans below `#` keys come back as texts. */
const withTexts = async (value: unknown): Promise<unknown> => {
  const { mapSecrets } = await import('#lib/storage/secrets/map-secrets.ts')
  return mapSecrets(value, async secret => secret)
}
