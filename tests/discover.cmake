# cmake -D BINARY=… -D PREFIX=… -D LABELS=… -D OUTPUT=… -P discover.cmake
# Asks a test binary for its units (tests/test_main.cc) and writes the ctest commands that run them.
execute_process(COMMAND ${BINARY} --list_units ${PREFIX} OUTPUT_VARIABLE units RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${BINARY} --list_units ended with ${status}")
endif()
string(REGEX MATCHALL "[^\n]+" units "${units}")
# The slow ones start first, so that no core is idle while the last of them runs.
set(cost 0)
if(LABELS MATCHES "slow")
  set(cost 2)
endif()
set(text "")
foreach(unit ${units})
  string(REPLACE "\t" ";" unit "${unit}")
  list(GET unit 0 name)
  list(GET unit 1 filter)
  string(APPEND text "add_test([=[${name}]=] [=[${BINARY}]=] [=[--gtest_filter=${filter}]=])\n"
         "set_tests_properties([=[${name}]=] PROPERTIES LABELS [=[${LABELS}]=] TIMEOUT 1800"
         " COST ${cost})\n")
  # A unit with one test is skipped if the test is; in a larger unit the other tests still ran.
  if(NOT filter MATCHES "\\*$")
    string(APPEND text "set_tests_properties([=[${name}]=] PROPERTIES\n"
           "                     SKIP_REGULAR_EXPRESSION [=[\\[  SKIPPED \\]]=])\n")
  endif()
endforeach()
file(WRITE ${OUTPUT} "${text}")
