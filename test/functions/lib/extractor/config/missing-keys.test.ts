import { describe, expect, it } from 'vitest'
import { parseConfig } from '#lib/extractor/config/parse-config.ts'
import { checkConfiguration } from '#lib/extractor/run/check-configuration.ts'
import { isObject } from '#lib/json/json-value.ts'
import { ownSamples } from '../samples/own-samples.ts'

const problemsOf = (config: unknown): { place: string; message: string }[] => {
  try {
    parseConfig(config)
    return []
  } catch (error) {
    return (error as { params?: { problems?: { place: string; message: string }[] } }).params?.problems ?? [] // of a UserError
  }
}

/** The configuration without one key, for each key of it. */
function* withoutOne(value: unknown, place: readonly string[] = []): Generator<[string, string, unknown]> {
  if (Array.isArray(value))
    for (const [index, item] of value.entries())
      for (const [path, key, changed] of withoutOne(item, [...place, String(index)]))
        yield [path, key, value.with(index, changed)]
  if (!isObject(value)) return
  for (const key of Object.keys(value)) {
    const { [key]: left, ...others } = value
    yield [[...place, key].join('.'), key, others]
    for (const [path, inner, changed] of withoutOne(left, [...place, key]))
      yield [path, inner, { ...value, [key]: changed }]
  }
}

const missing = (api: object, config: object = {}): string[] =>
  problemsOf({
    parameters: {
      api: { baseUrl: 'https://api.test/', ...api },
      config: { jobs: [{ endpoint: 'a' }], ...config },
    },
  }).map(({ message }) => message)

describe('what is missing', () => {
  it('is named with what it is, whichever required key of whichever sample is left out', () => {
    const named = new Set<string>()
    for (const { name, config } of ownSamples()) {
      if (problemsOf(config).length > 0) continue
      for (const [path, key, changed] of withoutOne(config)) {
        const found = problemsOf(changed).filter(({ place }) => place === path)
        for (const { message } of found) expect(message, `${name} without ${path}`).not.toMatch(/^Invalid /)
        if (found.some(({ message }) => message.startsWith(`"${key}" is missing (`))) named.add(key)
      }
    }
    expect([...named]).toEqual(
      expect.arrayContaining([
        'endpoint',
        'idKey',
        'param',
        'loginRequest',
        'tokenUrl',
        'when',
        'do',
        'scrollers',
      ]),
    )
  })

  it.each<[object, string[]]>([
    [
      { pagination: { method: 'cursor', param: 'since' } },
      ['"idKey" is missing (path of a whole number in each item)'],
    ],
    [{ authentication: { type: 'login' } }, ['"loginRequest" is missing (the request for credentials)']],
  ])('%j', (api, messages) => expect(missing(api)).toEqual(messages))

  it('is that of the kind which a value is of', () => {
    expect(missing({}, { jobs: [{ endpoint: 'a/{x}', placeholders: { x: {} } }] })).toEqual([
      '"path" is missing (path in the parent row)',
    ])
  })
})

describe('a bucket', () => {
  const named = (outputBucket: string, more: object = {}) => ({
    parameters: {
      api: { baseUrl: 'https://api.test/' },
      config: { outputBucket, jobs: [{ endpoint: 'a' }] },
    },
    ...more,
  })

  it.each(['a b', 'naïve', 'a.b'])('%s cannot be one, unless a mapping sends the tables elsewhere', name => {
    expect(() => checkConfiguration(named(name))).toThrow(`"${name}" cannot be the name of a bucket`)
    const mapped = { storage: { output: { tables: [{ source: 'a', destination: 'in.c-main.a' }] } } }
    expect(checkConfiguration(named(name, mapped))).toBeUndefined()
  })

  it('may be one of letters, digits, "-" and "_"', () =>
    expect(checkConfiguration(named('Main-2_x'))).toBeUndefined())
})
