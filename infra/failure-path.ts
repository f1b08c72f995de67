import {
  type CatchProps,
  Choice,
  Condition,
  Fail,
  type IChainable,
  JsonPath,
} from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { type DeadLetterStepProps, deadLetterContent, writeDeadLetter } from './dead-letter-step.ts'
import { type FunctionStepProps, functionStep } from './function-step.ts'

interface FailurePathProps {
  /** Puts in order what the failed execution leaves behind. */
  readonly cleanUp: Omit<FunctionStepProps, 'resultPath'> & { readonly name: string }
  readonly deadLetter: DeadLetterStepProps
  /** Name of the state in which the execution ends. */
  readonly endsAs: string
  /** The clean-up has found that nothing failed, and says so by this field: no letter. Default: it never does. */
  readonly unless?: { readonly isPresent: string; readonly next: IChainable } | undefined
  /** The clean-up answers with `details` of what failed. Default: it does not. */
  readonly hasDetails?: boolean
}

/**
 * Clean up -> write the dead letter -> end as failed. Expects `$.failure` with `Error` and `Cause`.
 *
 * The function that cleans up answers with `failure`: the code and message that it reads from the machine's report.
 */
export const failurePath = (
  scope: Construct,
  { cleanUp, deadLetter, endsAs, unless, hasDetails }: FailurePathProps,
): IChainable => {
  const end = new Fail(scope, endsAs, { errorPath: '$.failure.Error', causePath: '$.failure.Cause' })
  const write = writeDeadLetter(scope, deadLetter, end)
  const described = deadLetterContent(scope, 'DescribedFailure', {
    code: `${CLEANED_UP}.failure.code`,
    message: `${CLEANED_UP}.failure.message`,
    ...(hasDetails && { details: `${CLEANED_UP}.details` }),
  }).next(write)
  // Not every report has a cause, and a path that leads nowhere would end the execution without a dead letter.
  const asReported = deadLetterContent(scope, 'FailureAsReported', {
    code: '$.failure.Error',
    message: 'The clean-up after the failure failed too. The details are what the machine reported first.',
    details: '$.failure',
  }).next(write)
  const step = functionStep(scope, cleanUp.name, { ...cleanUp, resultPath: CLEANED_UP })
  // Something may stay behind when even this fails; the dead letter must be written all the same.
  step.addCatch(asReported, { errors: ['States.ALL'], resultPath: JsonPath.DISCARD })
  const whatNow = new Choice(scope, 'IsFailureDescribed')
  if (unless) whatNow.when(Condition.isPresent(`${CLEANED_UP}.${unless.isPresent}`), unless.next)
  return step.next(
    whatNow.when(Condition.isPresent(`${CLEANED_UP}.failure.message`), described).otherwise(asReported),
  )
}

const CLEANED_UP = '$.cleanedUp'

/** Sends whatever a step cannot do to the failure path. */
export const catchAll = (
  step: { addCatch(handler: IChainable, props?: CatchProps): unknown },
  failed: IChainable,
): void => void step.addCatch(failed, { errors: ['States.ALL'], resultPath: '$.failure' })
