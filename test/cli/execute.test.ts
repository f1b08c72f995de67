import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedCloud, startEmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'
import { writeAssembly } from '../local/runtime/fixture-assembly.ts'
import { fixtureTemplate } from '../local/runtime/fixture-stack.ts'
import { temporaryFolder } from '../local/runtime/temporary-folder.ts'
import { runMillrace } from '../support/millrace.ts'

const folder = temporaryFolder()
const dataDir = join(folder.path, 'data')
let cloud: EmbeddedCloud

beforeAll(async () => {
  const assembly = await writeAssembly(join(folder.path, 'assembly'), fixtureTemplate, ['flow'])
  cloud = await startEmbeddedCloud({ dataDir, assembly })
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
    const { stdout, stderr, code } = await millrace([
      'execute',
      'import',
      '{"do":"readOther","bucket":"other"}',
    ])
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
    expect(stderr).toContain('FAILED: AccessDenied')
  })

  it.each([
    [
      'a machine that is not there',
      ['execute', 'export', event],
      'There is no state machine "export". There is: import.',
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
