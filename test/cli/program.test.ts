import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { folderUntilEnd } from '#support/until-end.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { runMillrace, runMillraceProcess, spawnMillrace } from '../support/millrace.ts'

/* What only a process of its own shows. */
const folder = folderUntilEnd()

describe('the program', () => {
  it('exits with the code of the command, and says on standard error what is wrong', async () => {
    const { code, stdout, stderr } = await runMillraceProcess(['status'], {
      environment: { MILLRACE_URL: undefined, MILLRACE_TOKEN: undefined, MILLRACE_DATA_DIR: undefined },
      workingFolder: folder,
    })
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/--stack, .*none runs on \.millrace/),
    ])
  })

  it('reads standard input, and writes no colours into a pipe', async () => {
    const input = '{"parameters":{"api":{"pagination":{"method":"x"}},"config":{"jobs":[]}}}'
    const { code, stdout, stderr } = await runMillraceProcess(['config', 'validate', '-'], { input })
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toMatch(/^-: /)
    expect(stdout).not.toContain('\u001b')
  })

  it('says of a configuration that could be a root what it lacks to run by itself', async () => {
    const { code, stdout } = await runMillraceProcess(['config', 'validate', '-'], { input: '{}' })
    expect(code).toBe(0)
    expect(stdout).toContain('what it lacks: parameters.api.baseUrl and parameters.config.jobs')
  })

  it('ends without an error when its reader has seen enough', async () => {
    const child = spawnMillrace(['completion', 'fish'])
    child.stdout.destroy()
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

describe('the command line', () => {
  it('shows its help, its version and wrong arguments, with their exit codes', async () => {
    const help = await runMillrace(['--help'])
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('letters')])
    const version = await runMillrace(['--version'])
    expect([version.code, version.stdout]).toEqual([0, `${packageJson.version}\n`])
    const unknown = await runMillrace(['statsu'])
    expect([unknown.code, unknown.stdout]).toEqual([1, ''])
    expect(unknown.stderr).toMatch(/unknown command 'statsu'\n\(Did you mean status\?\)/)
    const option = await runMillrace(['tables', 'preview', '--limt', '3', 'in.c-main.x'])
    expect([option.code, option.stderr]).toEqual([1, expect.stringContaining('--limit')])
  })

  it('finds the data directory and files in its working folder', async () => {
    const { stderr } = await runMillrace(['config', 'validate', 'none.json'], { workingFolder: folder })
    expect(stderr).toContain('there is no such file')
    const status = await runMillrace(['status'], { workingFolder: folder })
    expect([status.code, status.stderr]).toEqual([1, expect.stringContaining('millrace start')])
  })
})
