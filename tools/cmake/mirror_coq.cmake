# Makes the folder BUILD hold the texts of Coq's library that SOURCE holds: files that differ are copied, whatever their times say, and
# what was compiled of a text that is no longer there goes with it.
file(GLOB_RECURSE wanted RELATIVE ${SOURCE} LIST_DIRECTORIES false ${SOURCE}/*.v)
foreach(name ${wanted} _CoqProject Makefile.coq.local)
  cmake_path(GET name PARENT_PATH folder)
  file(MAKE_DIRECTORY ${BUILD}/${folder})
  file(COPY_FILE ${SOURCE}/${name} ${BUILD}/${name} ONLY_IF_DIFFERENT)
endforeach()
file(GLOB_RECURSE there RELATIVE ${BUILD} LIST_DIRECTORIES false ${BUILD}/*.v)
list(REMOVE_ITEM there ${wanted})
foreach(name ${there})
  file(REMOVE ${BUILD}/${name} ${BUILD}/${name}o ${BUILD}/${name}os ${BUILD}/${name}ok)
endforeach()
