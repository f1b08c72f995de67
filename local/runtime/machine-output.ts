/**
 * The ARN of a machine by the name of its construct: `import` is the output `ImportMachineArn`.
 *
 * Throws when there is none, and lists the names that exist.
 */
export const machineArnFrom = (outputs: Readonly<Record<string, string>>, machine: string): string => {
  const suffix = 'MachineArn'
  const arn = outputs[`${machine.charAt(0).toUpperCase()}${machine.slice(1)}${suffix}`]
  if (arn) return arn
  const known = Object.keys(outputs)
    .filter(name => name.endsWith(suffix))
    .map(name => name.charAt(0).toLowerCase() + name.slice(1, -suffix.length))
  throw new Error(
    `There is no state machine "${machine}". There ${known.length === 1 ? 'is' : 'are'}: ${known.join(', ')}.`,
  )
}
