import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { lambdaHandler } from '#lib/cloud/lambda-handler.ts'
import { TransientError, UserError } from '#lib/errors/errors.ts'
import { describeFailure } from '#lib/errors/machine-failure.ts'
import { toFunctionError } from '#local/runtime/lambda/function-error.ts'

/** What the machine hears of a function that throws this. */
const reportOf = async (thrown: Error) => {
  const handler = lambdaHandler({
    service: 'test',
    event: z.unknown(),
    open: async () => async () => {
      throw thrown
    },
  })
  // The handler needs no more of the context than this.
  const context = { functionName: 'test', awsRequestId: '1' } as Parameters<typeof handler>[1]
  const report = toFunctionError(await handler({}, context).catch((error: unknown) => error))
  return { Error: report.errorType, Cause: JSON.stringify(report) }
}

describe('a failure that a machine reports', () => {
  it.each([
    new UserError('landing.invalidMetadata', 'Two\nlines'),
    new TransientError('storage.unreachable', 'No answer'),
  ])('of a function has the code and the message of its error: $code', async error => {
    const { code, message } = error
    expect(describeFailure(await reportOf(error))).toEqual({ code, message })
  })

  it('of a bug has the name of the error, and no stack', async () => {
    expect(describeFailure(await reportOf(new RangeError('too far')))).toEqual({
      code: 'RangeError',
      message: 'too far',
    })
  })

  it.each([
    [
      { Error: 'invalidCsv', Cause: 'Line 2 is short.' },
      { code: 'invalidCsv', message: 'Line 2 is short.' },
    ],
    [{ Error: 'States.Timeout' }, { code: 'States.Timeout', message: '' }],
    [
      { Error: 'X', Cause: '{"a":1}' },
      { code: 'X', message: '{"a":1}' },
    ],
    [
      { Error: 'X', Cause: '{"errorMessage":"m' },
      { code: 'X', message: '{"errorMessage":"m' },
    ],
    [
      { Error: 'X', Cause: '{"errorMessage":"m"}' },
      { code: 'X', message: 'm' },
    ],
    [{}, { code: 'Error', message: '' }],
  ])('of anything else is as it came: %j', (failure, described) => {
    expect(describeFailure(failure)).toEqual(described)
  })
})
