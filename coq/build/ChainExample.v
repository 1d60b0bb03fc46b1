(** Chains that are good, and the nearest ones that are not.

    x is 2; a model computes y = f (g x) and z = f (g x) once more. A rule says that f (g v) is h v for all v;
    then y becomes h x, z is the same call as y, and one h is left. *)

From Coq Require Import PArith List Bool FMapPositive.
From Vouch Require Import build.Chain build.ChainProof.
Import ListNotations.
Local Open Scope positive_scope.

Definition f := 1.
Definition g := 2.
Definition h := 3.

Definition gx := N 3 g [2].
Definition y := N 4 f [3].
Definition z := N 5 f [3].
Definition hx := N 6 h [2].

Definition model : graph := [gx; y; z].
Definition rule : step := Region [gx; y] [hx] 4 6.

Definition chained (nodes : graph) (steps : list step) (last : graph) (outputs : list positive) : chain := {|
  ch_nodes := nodes; ch_first := model; ch_first_outputs := [4; 5];
  ch_steps := steps; ch_last := last; ch_last_outputs := outputs
|}.

Definition good : chain := chained [gx; y; z; hx] [Same 5 4; rule] [hx] [6; 6].

Example good_chain : chain_ok good = true.
Proof. reflexivity. Qed.

Example nothing_done : chain_ok (chained model [] model [4; 5]) = true.
Proof. reflexivity. Qed.

(** What reads a value reads what took its place. *)
Example read_later :
  chain_ok {| ch_nodes := [gx; y; N 5 g [4]; hx]; ch_first := [gx; y; N 5 g [4]]; ch_first_outputs := [5];
              ch_steps := [rule]; ch_last := [hx; N 5 g [6]]; ch_last_outputs := [5] |} = true.
Proof. reflexivity. Qed.

Example no_step_for_it : chain_ok (chained [gx; y; z; hx] [rule] [hx] [6; 6]) = false.
Proof. reflexivity. Qed.

Example outputs_in_another_order :
  chain_ok {| ch_nodes := [gx; y; N 5 g [4]]; ch_first := [gx; y; N 5 g [4]]; ch_first_outputs := [4; 5];
              ch_steps := []; ch_last := [gx; y; N 5 g [4]]; ch_last_outputs := [5; 4] |} = false.
Proof. reflexivity. Qed.

Example output_lost : chain_ok (chained [gx; y; z; hx] [Same 5 4; rule] [hx] [6]) = false.
Proof. reflexivity. Qed.

Example other_operator_in_the_end : chain_ok (chained [gx; y; z; hx] [Same 5 4; rule] [N 6 f [2]] [6; 6]) = false.
Proof. reflexivity. Qed.

Example other_operand_in_the_end : chain_ok (chained [gx; y; z; hx] [Same 5 4; rule] [N 6 h [1]] [6; 6]) = false.
Proof. reflexivity. Qed.

Example other_node_matched : chain_ok (chained [gx; y; z; hx] [Same 5 4; Region [N 3 h [2]; y] [hx] 4 6] [hx] [6; 6]) = false.
Proof. reflexivity. Qed.

Example other_node_built : chain_ok (chained [gx; y; z; hx] [Same 5 4; Region [gx; y] [N 6 f [2]] 4 6] [hx] [6; 6]) = false.
Proof. reflexivity. Qed.

Example not_the_same_call : chain_ok (chained [gx; y; z; hx] [Same 5 6; rule] [hx] [6; 6]) = false.
Proof. reflexivity. Qed.

Example node_of_no_graph : chain_ok (chained [gx; y; z] [Same 5 4; rule] [hx] [6; 6]) = false.
Proof. reflexivity. Qed.

Example reads_what_is_gone : chain_ok (chained [gx; y; z] [] [y; z] [4; 5]) = false.
Proof. reflexivity. Qed.

Example reads_itself :
  chain_ok {| ch_nodes := [N 3 g [3]]; ch_first := [N 3 g [3]]; ch_first_outputs := [3];
              ch_steps := []; ch_last := [N 3 g [3]]; ch_last_outputs := [3] |} = false.
Proof. reflexivity. Qed.

Example reads_what_comes_later :
  chain_ok {| ch_nodes := [N 3 g [4]; N 4 f [2]]; ch_first := [N 3 g [4]; N 4 f [2]]; ch_first_outputs := [3];
              ch_steps := []; ch_last := [N 3 g [4]; N 4 f [2]]; ch_last_outputs := [3] |} = false.
Proof. reflexivity. Qed.

Example defined_twice : chain_ok (chained [gx; y; z; N 5 h [2]] [] model [4; 5]) = false.
Proof. reflexivity. Qed.

(** A step may use what an earlier one said, and not what a later one will say. *)
Definition second : step := Region [N 5 f [6]] [N 7 g [6]] 5 7.
Definition reads_first : graph := [gx; y; N 5 f [4]; hx; N 7 g [6]].

Definition two_steps (steps : list step) : chain := {|
  ch_nodes := reads_first; ch_first := [gx; y; N 5 f [4]]; ch_first_outputs := [5];
  ch_steps := steps; ch_last := [hx; N 7 g [6]]; ch_last_outputs := [7] |}.

Example in_order : chain_ok (two_steps [rule; second]) = true.
Proof. reflexivity. Qed.

Example out_of_order : chain_ok (two_steps [second; rule]) = false.
Proof. reflexivity. Qed.

(** The theorem where the claims are true: numbers, [f] doubles, [g] adds one, [h] does both. *)
Definition numbers (symbol : positive) (args : list nat) : nat :=
  match symbol, args with
  | 1, [a] => 2 * a
  | 2, [a] => a + 1
  | 3, [a] => 2 * (a + 1)
  | _, _ => 0
  end.

Example good_means given : map (values_of nat numbers given [hx]) [6; 6] = map (values_of nat numbers given model) [4; 5].
Proof. apply (chain_outputs good good_chain). repeat constructor. Qed.
