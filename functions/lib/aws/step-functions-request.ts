import { createJsonRequest, type JsonRequest, type ServiceSettings } from './signed-json.ts'

const STEP_FUNCTIONS = {
  name: 'states',
  target: 'AWSStepFunctions',
  jsonVersion: '1.0',
  endpointName: 'SFN',
} as const

/** Operations of Step Functions as its API Reference has them, without the SDK's client. */
export const createStepFunctionsRequest = (settings?: ServiceSettings): JsonRequest =>
  createJsonRequest(STEP_FUNCTIONS, settings)
