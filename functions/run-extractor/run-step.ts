import { z } from 'zod'
import type { Answer, StepEvent } from '../lib/drive/step.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'
import { isFileName } from '../lib/paths/path-inside.ts'
import type { Advance } from './advance-run.ts'
import { type RunExtractorEvent, runIdOf, runInput } from './event.ts'
import { runSteps } from './names.ts'

/** ARN of an execution: its last part names the run. */
const runExecution = z.string().refine(arn => isFileName(runIdOf(arn), 100), 'not the ARN of an execution')

const nextStep = z.object({ step: z.enum(runSteps).exclude(['fail']) })

/**
 * One step of a run: it begins, goes on by a leg or a load, or ends. A step that fails for good ends its row, and the next row follows
 * where the configuration says so.
 */
export const runStep = async (
  { input, execution, since, state, failure }: StepEvent,
  advance: (event: RunExtractorEvent) => Promise<Advance>,
): Promise<Answer> => {
  const { step } = state === null ? { step: 'begin' as const } : parseEvent(nextStep, state)
  // The report of it would end the run by the same step.
  if (failure && step === 'end') throw new Error('The run could not be ended')
  const asked = {
    execution: parseEvent(runExecution, execution),
    startedAt: since,
    input: parseEvent(runInput, input),
  }
  return answerOf(await advance(failure ? { ...asked, step: 'fail', failure } : { ...asked, step }))
}

const answerOf = (advance: Advance): Answer => {
  if (!('result' in advance))
    return {
      next: 'again',
      waitSeconds: advance.waitSeconds,
      waitsFor: advance.waitsFor,
      state: { step: advance.next },
    }
  if (!('failure' in advance) || advance.failure === undefined)
    return { next: 'done', output: advance.result }
  const { Error: code, Cause: message } = advance.failure
  return { next: 'failed', failure: { code, message }, details: advance.result }
}
