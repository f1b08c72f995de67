import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedCloud, startEmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'
import { writeFlowBundles } from '../local/runtime/flow-bundles.ts'
import { temporaryFolder } from '../local/runtime/temporary-folder.ts'
import { runMillrace } from '../support/millrace.ts'

const folder = temporaryFolder()
const dataDir = join(folder.path, 'data')
let cloud: EmbeddedCloud

beforeAll(async () => {
  const bundles = await writeFlowBundles(join(folder.path, 'assembly'))
  cloud = await startEmbeddedCloud({ dataDir, bundles })
})
afterAll(async () => {
  await cloud.close()
  await folder.remove()
})

const millrace = (args: string[], { input = '', MILLRACE_DATA_DIR = dataDir } = {}) =>
  runMillrace(args, { input, environment: { MILLRACE_DATA_DIR } })

describe('millrace execute', () => {
  const event = JSON.stringify({ do: 'wait', ms: 10 })

  it('prints the output as JSON and exits 0', async () => {
    const { stdout, stderr, code } = await millrace(['execute', 'import', event])
    expect({ stdout, code }).toEqual({ stdout: '"waited"\n', code: 0 })
    expect(stderr).toMatch(/^arn:.*\n$/)
  })

  it('reads its input from a file and from standard input', async () => {
    const file = join(folder.path, 'input.json')
    await writeFile(file, event)
    const [fromFile, fromStdin] = await Promise.all([
      millrace(['execute', 'import', file]),
      millrace(['execute', 'import', '-'], { input: event }),
    ])
    expect([fromFile.stdout, fromStdin.stdout]).toEqual(['"waited"\n', '"waited"\n'])
  })

  it('prints error and cause on stderr and exits 1 when the execution fails', async () => {
    const { stdout, stderr, code } = await millrace(['execute', 'import', '{"do":"fail"}'])
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
    expect(stderr).toContain('FAILED: UserError: cannot be done')
  })

  it.each([
    [
      'a machine that is not there',
      ['execute', 'nothing', event],
      'There is no state machine "nothing". There are: import, export, extract, job.',
    ],
    ['an input that is not JSON', ['execute', 'import', '{"a"'], 'The input is not JSON'],
    [
      'a file that is not there',
      ['execute', 'import', '/nowhere.json'],
      '/nowhere.json: there is no such file or folder.',
    ],
  ])('explains %s', async (_case, args, message) => {
    const { stderr, code } = await millrace(args)
    expect(stderr).toContain(message)
    expect(code).toBe(1)
  })

  it('says how to start a cloud where none runs', async () => {
    const { stderr, code } = await millrace(['execute', 'import', event], { MILLRACE_DATA_DIR: folder.path })
    expect(stderr).toContain('Start it with millrace start')
    expect(code).toBe(1)
  })
})
