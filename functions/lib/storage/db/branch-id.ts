/** The branch that always exists. */
export const defaultBranchId = 1

/** The branch of a record. Those of the default branch name none: they are older than branches with records. */
export const ofBranch = (branchId: number): { branchId?: number } =>
  branchId === defaultBranchId ? {} : { branchId }

/** For the scope of an idempotency key: the same key in another branch is another request. */
export const inBranch = (branchId: number): string =>
  branchId === defaultBranchId ? '' : ` in branch ${branchId}`
