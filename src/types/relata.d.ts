// Replaced by the one that is being written.
export {};
