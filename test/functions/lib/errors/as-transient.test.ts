import { describe, expect, it } from 'vitest'
import { asTransient } from '#lib/errors/as-transient.ts'
import { TransientError } from '#lib/errors/errors.ts'

const awsError = (name: string, httpStatusCode: number) =>
  Object.assign(new Error('of AWS'), { name, $metadata: { httpStatusCode } })

describe('an error of AWS', () => {
  it.each([
    ['Throttling', 400], // STS
    ['ThrottlingException', 400],
    ['ProvisionedThroughputExceededException', 400],
    ['ConditionalRequestConflict', 409], // S3
    ['SlowDown', 503],
    ['ConditionalRequestConflict', 409],
    ['InternalError', 500],
  ])('%s may pass', (name, status) => {
    const error = awsError(name, status)
    expect(asTransient(error)).toMatchObject({ name: 'TransientError', code: `aws.${name}`, cause: error })
    expect(asTransient(error)).toBeInstanceOf(TransientError)
  })

  it.each([
    ['AccessDenied', 403],
    ['ValidationException', 400],
  ])('%s stays what it is', (name, status) => {
    const error = awsError(name, status)
    expect(asTransient(error)).toBe(error)
  })
})
