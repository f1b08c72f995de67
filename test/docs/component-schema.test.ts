import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../functions/lib/extractor/config/parse-config.ts'
import { readCatalogue } from '../../functions/storage-api/services/read-catalogue.ts'
import { extractorParametersSchema } from '../tools/documents/component-schema.ts'

const catalogue = readCatalogue(join(import.meta.dirname, '../../functions/storage-api/components'))
const extractor = catalogue.get('ex-generic-v2')

/** Notes at each depth, also in values of several kinds. */
const annotated = {
  __why: 'a trial',
  api: {
    baseUrl: 'https://a.cz/',
    __why: { it: 'is ours' },
    pagination: { method: 'offset', limit: 10, __why: 'as documented' },
    http: { __why: 'slow', errorRules: [{ when: { status: 404, __why: 'gone' }, do: 'ignore', __why: '' }] },
  },
  config: {
    jobs: [
      {
        endpoint: 'a',
        __NAME: 'A',
        primaryKey: ['id'],
        dataField: { path: 'data', __why: 'nested' },
        incremental: { idKey: 'at', param: 'since', __why: 'many rows' },
      },
    ],
  },
}

describe('the configuration schema of ex-generic-v2', () => {
  const validate = new Ajv2020({ strict: false, formats: { uri: true } }).compile(
    extractor?.configurationSchema ?? false,
  )

  it('is what the extractor reads (npm run component-schema)', () => {
    expect(extractor?.configurationSchema).toEqual(JSON.parse(JSON.stringify(extractorParametersSchema())))
  })

  it.each([
    ['the configuration that a new one begins with', extractor?.emptyConfiguration['parameters']],
    [
      'an API and its jobs',
      {
        api: { baseUrl: 'https://a.cz/' },
        config: { jobs: [{ endpoint: 'a', children: [{ endpoint: 'b/{id}' }] }] },
      },
    ],
    ['a part of it, as in a row', { config: { jobs: [{ endpoint: 'a' }] } }],
    ['notes of an editor', annotated],
  ])('takes %s', (_what, parameters) => {
    expect(validate(parameters), JSON.stringify(validate.errors)).toBe(true)
  })

  it('notes of an editor are left out by the extractor too', () => {
    const { file } = parseConfig({ parameters: annotated })
    expect(JSON.stringify(file)).not.toContain('__')
    const misspelt = { ...annotated.config.jobs[0], incremental: { idKey: 'at', __why: '', parm: 'since' } }
    expect(() => parseConfig({ parameters: { ...annotated, config: { jobs: [misspelt] } } })).toThrow(
      /unknown key "parm"/,
    )
  })

  it('refuses nothing that runs, and no draft', async () => {
    const samples = await Array.fromAsync(glob('test/samples/extractor/*/config.json'))
    expect(samples.length).toBeGreaterThan(100)
    for (const sample of samples) {
      const { parameters } = JSON.parse(await readFile(sample, 'utf8')) as { parameters: unknown }
      expect([sample, validate(parameters)]).toEqual([sample, true])
    }
    expect(validate({ initial_param: 1, config: { jobs: [] } })).toBe(true)
  })

  it('names keys and values at each depth', () => {
    const text = JSON.stringify(extractor?.configurationSchema)
    for (const name of ['baseUrl', 'pagination', 'responseFilter', 'response.url'])
      expect(text).toContain(`"${name}"`)
  })
})

it('the schema of a flow knows the kinds of its tasks', () => {
  const validate = new Ajv2020({ strict: false }).compile(
    catalogue.get('keboola.flow')?.configurationSchema ?? false,
  )
  const flow = (task: object) => ({ phases: [], tasks: [{ id: '1', name: 'n', phase: '1', task }] })
  expect(validate(flow({ type: 'job', componentId: 'ex-generic-v2', configId: '1', mode: 'run' }))).toBe(true)
  expect(validate(flow({ type: 'notification', title: 't', recipients: [] }))).toBe(true)
  expect(validate(flow({ type: 'variable', name: 'n', value: 'v' }))).toBe(true)
  expect(validate(flow({ type: 'job', more: true }))).toBe(true)
  expect(validate(flow({ type: 'dance' }))).toBe(false)
})
