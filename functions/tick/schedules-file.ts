/** File beside the bundle: JSON array of the schedules of the stack. Constants only: infra/ imports it. */
export const SCHEDULES_FILE = 'schedules.json'
