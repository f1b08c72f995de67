/** A lifecycle rule removes objects below it after some days. Constants only: infra/ imports this file. */
export const WORK_PREFIX = '.work/'
