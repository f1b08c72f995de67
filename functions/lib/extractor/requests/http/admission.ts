import { statSync } from 'node:fs'
import type { HttpResponse } from '../answers/http-response.ts'
import { NetworkFailure } from './network-failure.ts'
import type { RateLimitGate } from './rate-limit-gate.ts'
import type { RequestBudget } from './request-budget.ts'
import type { RunBounds } from './run-bounds.ts'
import type { Traffic } from './traffic.ts'
import type { Outcome } from './witness.ts'

/** Says when each request of a run may be sent. */
export interface Admission {
  /** Resolves when a request may be sent, to what is to be called with what became of it; with nothing when it was not sent. */
  enter(origin: string): Promise<(outcome: Outcome | undefined) => void>
  close(origin: string, seconds: number): void
}

interface AdmissionOptions {
  gate: RateLimitGate
  traffic: Traffic
  bounds: RunBounds
  budget: RequestBudget | undefined
  /** Called for each request that is sent; what it returns, when it has come back. */
  sends: () => () => void
}

export const createAdmission = ({ gate, traffic, bounds, budget, sends }: AdmissionOptions): Admission => ({
  enter: async origin => {
    bounds.check()
    await gate.enter(origin)
    await budget?.take()
    bounds.check() // time has passed, and others were sent
    traffic.requests++
    const cameBack = sends()
    return outcome => {
      cameBack()
      const answer = outcome instanceof NetworkFailure ? undefined : outcome
      if (answer === undefined) return
      traffic.bytes += sizeOf(answer)
      gate.learn(origin, answer.headers)
    }
  },
  close: gate.close,
})

const sizeOf = ({ body, file }: HttpResponse): number =>
  file === undefined ? body.length : statSync(file).size
