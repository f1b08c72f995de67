import { expect, it } from 'vitest'
import { Quotas } from '#local/http/quotas.ts'

const admitted = (quotas: Quotas, action: string, calls: number): number =>
  Array.from({ length: calls }, () => quotas.admits(action)).filter(Boolean).length

it.each([['sts:AssumeRole', 600, 600]])(
  'of %s an account may make %i calls at once and %i a second',
  (action, atOnce, perSecond) => {
    let now = 0
    const quotas = new Quotas(() => now)
    expect(admitted(quotas, action, 1000)).toBe(atOnce)
    now += 1000
    expect(admitted(quotas, action, 1000)).toBe(perSecond)
    now += 3_600_000
    expect(admitted(quotas, action, 1000)).toBe(atOnce)
  },
)

it('calls of other actions are not counted', () => {
  const quotas = new Quotas(() => 0)
  expect(admitted(quotas, 'sts:GetCallerIdentity', 10_000)).toBe(10_000)
})
