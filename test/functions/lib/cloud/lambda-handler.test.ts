import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { lambdaHandler } from '#lib/cloud/lambda-handler.ts'

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

  it.each([
    ['its time is over', 600, () => {}],
    ['it is told to stop', 60_000, () => void setImmediate(() => process.emit('SIGTERM'))],
  ])('ends of itself when %s, and listens no longer', async (_, leftMs, stop) => {
    const handler = lambdaHandler({
      service: 'test',
      event: z.object({}),
      open:
        async () =>
        (_event, { signal }) => {
          stop()
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
          })
        },
    })
    const before = process.listenerCount('SIGTERM')
    const context = { awsRequestId: 'r', functionName: 'f', getRemainingTimeInMillis: () => leftMs }
    // middy types the handler by the callback form of Lambda as well, which nobody calls.
    const call = handler as unknown as (event: unknown, context: object) => Promise<unknown>
    await expect(call({}, context)).rejects.toMatchObject({ name: 'Sandbox.Timedout' })
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })
})
