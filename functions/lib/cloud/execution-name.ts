/** The name of an execution, the last part of its ARN: what logs, files, jobs and events of one piece of work share. */
export const executionName = (executionArn: string): string =>
  executionArn.slice(executionArn.lastIndexOf(':') + 1)
