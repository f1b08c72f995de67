import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOpener } from '#lib/storage/secrets/create-opener.ts'
import { createSealer } from '#lib/storage/secrets/create-sealer.ts'
import { formatSealed, parseSealed, type SealedValue } from '#lib/storage/secrets/sealed-secret.ts'
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

/** Sealed under one data key, as many or long ones are. */
const sealMany = async (secrets: readonly string[], of = owner): Promise<string[]> => {
  const rest = Array.from({ length: 11 }, (_, index) => `more ${index}`)
  const sealed = (await sealer()({ '#list': [...secrets, ...rest] }, of)) as { '#list': string[] } // As it was given.
  return sealed['#list'].slice(0, secrets.length)
}

const heldBy = (sealed: string): SealedValue => {
  const held = parseSealed(sealed)
  if (!held) throw new Error('It is not sealed')
  return held
}

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

  const secretsOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`#k${index}`, `s${index}`]))

  it.each<[string, object, string[], string[]]>([
    ['none', { a: 1, '#sealed': 'KBC::ProjectSecureKV::eJwB' }, [], []],
    ['each of a few', secretsOf(10), Array(10).fill('encrypt'), Array(10).fill('decrypt')],
    ['more than ten once', secretsOf(50), ['dataKey'], ['decrypt']],
    ['one of 4,096 bytes', { '#a': 'é'.repeat(2_048) }, ['encrypt'], ['decrypt']],
    ['a longer one', { '#a': `${'é'.repeat(2_048)}.` }, ['dataKey'], ['decrypt']],
  ])('asks KMS for %s, and so does opening', async (_what, value, sealing, opening) => {
    const callsOf = async <Result>(work: () => Promise<Result>) => {
      const before = service.calls.length
      const result = await work()
      return { result, calls: service.calls.slice(before) }
    }
    const sealed = await callsOf(() => sealer()(value, owner))
    expect(sealed.calls).toEqual(sealing)
    if (opening.length === 0) return
    expect(await callsOf(() => opener()(sealed.result, owner))).toEqual({ result: value, calls: opening })
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

  const isRefused = (...secrets: string[]) =>
    expect(opener()({ '#list': secrets }, owner)).rejects.toMatchObject({
      name: 'UserError',
      code: 'secrets.notOpened',
    })

  it('refuses a secret that was changed, and one of another service', async () => {
    const flipped = (base64: string) =>
      `${base64.slice(0, -8)}${base64.at(-8) === 'A' ? 'B' : 'A'}${base64.slice(-7)}`
    const byKms = await sealOne('abc')
    const [underDataKey = ''] = await sealMany(['abc'])
    for (const sealed of [byKms, underDataKey]) {
      const held = heldBy(sealed)
      await isRefused(flipped(sealed))
      await isRefused(formatSealed({ ...held, text: flipped(held.text) }))
      if ('dataKey' in held) await isRefused(formatSealed({ ...held, dataKey: flipped(held.dataKey) }))
    }
    for (const secret of ['KBC::ProjectSecureKV::abc', 'KBC::ProjectSecure::abc', 'KBC::ProjectSecure::e30='])
      await isRefused(secret)
  })

  it('says of a secret of 0.3 that it is of an earlier version', async () => {
    const message = Buffer.from('020578', 'hex').toString('base64')
    await expect(opener()({ '#a': `KBC::ProjectSecure::${message}` }, owner)).rejects.toMatchObject({
      code: 'secrets.notOpened',
      message: expect.stringContaining('by a version before 0.4. Enter it again.'),
    })
  })

  const contexts = ['7', '8'].flatMap(projectId =>
    ['ex-generic-v2', 'wr-other'].flatMap(componentId =>
      ['shop', 'other', undefined].flatMap(configurationId =>
        ['1', '2', undefined].map(tokenId => ({
          projectId,
          componentId,
          ...(configurationId !== undefined && { configurationId }),
          ...(tokenId !== undefined && { tokenId }),
        })),
      ),
    ),
  )

  it.each([
    ['by KMS', () => sealOne('abc')],
    ['under a data key', async () => (await sealMany(['abc']))[0] ?? ''],
  ])('refuses every context but that of the sealing %s, to whoever has it', async (_how, seal) => {
    const right = await seal()
    const held = heldBy(right)
    expect(contexts).toContainEqual(held.context)
    for (const context of contexts) {
      const said = formatSealed({ ...held, context })
      const { projectId, componentId, configurationId } = context
      const reader = { projectId: Number(projectId), componentId, configId: configurationId }
      const opened = opener()({ '#a': said }, reader)
      if (said === right) expect(await opened).toEqual({ '#a': 'abc' })
      else {
        await expect(opened).rejects.toMatchObject({ code: 'secrets.notOpened' })
        // Nor beside the right one, whose data key is known then.
        await isRefused(right, said)
      }
    }
  })

  it('gives no data key out as a secret, and takes no secret as a data key', async () => {
    const [underDataKey = ''] = await sealMany(['abc'])
    const held = heldBy(underDataKey)
    if (!('dataKey' in held)) throw new Error('It has no data key')
    await isRefused(formatSealed({ context: held.context, text: held.dataKey }))
    const { context, text } = heldBy(await sealOne('x'.repeat(32)))
    await isRefused(formatSealed({ context, dataKey: text, text: held.text }))
  })

  it('takes no secret of another configuration under a data key', async () => {
    const [foreign = ''] = await sealMany(['abc'], { ...owner, configId: 'other' })
    const { text } = heldBy(foreign)
    const [own = ''] = await sealMany(['abc'])
    await isRefused(foreign)
    await isRefused(formatSealed({ ...heldBy(own), text }))
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
