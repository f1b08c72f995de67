import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

/* In a process of its own: the logger writes to its standard output. */
const program = `
  import { z } from 'zod'
  import { lambdaHandler } from './functions/lib/aws/lambda-handler.ts'
  import { UserError } from './functions/lib/errors/errors.ts'
  const handler = lambdaHandler({
    service: 'test',
    event: z.object({ id: z.string(), isWrong: z.boolean() }),
    keys: ({ id }) => ({ correlationId: id }),
    run: async ({ isWrong }, { logger }) => {
      if (isWrong) throw new UserError('notFound', 'There is none.')
      logger.info('between')
      return { rows: 3 }
    },
    outcome: ({ rows }) => ({ rows }),
  })
  const context = { awsRequestId: 'r', functionName: 'f' }
  await handler({ id: 'a', isWrong: false }, context)
  await handler({ id: 'b', isWrong: true }, context).catch(() => {})
`

const runProgram = async (): Promise<Record<string, unknown>[]> => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    program,
  ])
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
