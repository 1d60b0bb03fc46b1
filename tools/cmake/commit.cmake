# Writes HEADER with the commit of the folder SOURCE, `-modified` after it where files differ; only if that changed.
execute_process(COMMAND git describe --always --abbrev=40 --dirty=-modified --exclude=* WORKING_DIRECTORY ${SOURCE}
                OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define VOUCH_COMMIT \"${commit}\"\n")
