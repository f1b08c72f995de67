import { describe, expect, it } from 'vitest'
import { checkConfiguration } from '#lib/extractor/run/check-configuration.ts'

const configuration = (child: object, more: object = {}) => ({
  parameters: {
    ...more,
    api: { baseUrl: 'https://api.test/' },
    config: {
      jobs: [
        {
          endpoint: 'a',
          primaryKey: ['id'],
          incremental: { idKey: 'id', param: 'since' },
          children: [{ endpoint: 'a/{n}/b', dataType: 'b', placeholders: { n: 'id' }, ...child }],
        },
      ],
    },
  },
})

describe('a configuration with an unknown key', () => {
  it('is named with the key that was meant, and the keys that are there still count', () => {
    expect(checkConfiguration(configuration({ primaryKey: ['id'] }, { apii: {} }))).toMatchObject({
      message: expect.stringContaining(
        'unknown key "apii" (did you mean "api"?) at parameters\nIt will not run like this',
      ),
      params: { problems: [{ place: 'parameters', message: expect.stringContaining('"apii"') }] },
    })
  })

  it('does not hide what could never run, which does not hide it either', () => {
    const check = () => checkConfiguration(configuration({}, { apii: {} }))
    expect(check).toThrow('that needs a primary key')
    expect(check).toThrow('unknown key "apii"')
  })
})
