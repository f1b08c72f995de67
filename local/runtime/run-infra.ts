import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from './project-root.ts'

/** Runs a program of `infra/` in a process of its own, with these variables too. Rejects with what it says is wrong. */
export const runInfra = async (
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<void> => {
  try {
    await promisify(execFile)(process.execPath, [join(projectRoot, 'infra', program), ...args], {
      cwd: projectRoot,
      env: { ...process.env, ...variables },
    })
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Error(`The stack could not be synthesised.\n${stderr}`, { cause: error })
  }
}
