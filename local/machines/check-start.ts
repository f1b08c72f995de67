import { ServiceError } from '../runtime/service-error.ts'
import { largestDataBytes } from './drive.ts'

/** Step Functions API Reference, "StartExecution": 1 to 80 characters, and none of these. */
export const checkName = (name: string) => {
  const isValid = name.length <= 80 && /^[^\p{Cc}\s<>{}[\]?*"#%\\^|~`$&,;:/]+$/u.test(name)
  if (!isValid) throw new ServiceError('InvalidName', `Invalid Name: '${name}'`)
}

export const checkInput = (input: string) => {
  if (Buffer.byteLength(input) > largestDataBytes)
    throw new ServiceError('InvalidExecutionInput', `The input is longer than ${largestDataBytes} bytes`)
  try {
    JSON.parse(input)
  } catch (error) {
    throw new ServiceError('InvalidExecutionInput', `Invalid State Machine Execution Input: ${String(error)}`)
  }
}
