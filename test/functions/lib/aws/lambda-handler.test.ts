import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const runProgram = async (): Promise<Record<string, unknown>[]> => {
  const program = join(import.meta.dirname, 'logging-program.ts')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program])
  expect(stderr).not.toContain('reserved key')
  return `${stdout}${stderr}`
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
}

describe('a function', () => {
  it('says when a unit of work starts and how it ends, with its facts and its correlation id on each line', async () => {
    const lines = await runProgram()
    const of = (id: string) => lines.filter(({ correlationId }) => correlationId === id)
    expect(of('a')).toMatchObject([
      { message: 'started' },
      { message: 'between' },
      { message: 'ended', outcome: 'success', rows: 3, seconds: expect.any(Number) },
    ])
    // Warnings go to another stream than the rest.
    expect(
      of('b')
        .map(({ message }) => message)
        .sort(),
    ).toEqual(['ended', 'refused', 'started'])
    expect(of('b').find(({ message }) => message === 'ended')).toMatchObject({
      outcome: 'error',
      code: 'notFound',
      reason: 'There is none.',
    })
  })
})
