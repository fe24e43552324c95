// Who asks, as several resources name them: dispatchers see and write all, technicians what their visits are about,
// customers what is at their sites.
import { claim, role } from "relata";

export const dispatcher = role("dispatcher");

/** The technician of a row. */
export const ownTechnician = role("technician", { technician__subject: claim("sub") });
